/** Requests of a merchant's back end, a shop's page and a buyer's browser, for tests. */
import { SHOP_ORIGIN, type Shop } from './harness.ts'
import { send } from './light-http.ts'

type Answer<Body> = { status: number; headers: Headers; body: Body }
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
type AnyBody = any

/** As a proxy in front of the service writes it. The live world accepts only calls over https. */
const OVER_HTTPS = { 'x-forwarded-proto': 'https' }

/** Sends JSON and reads JSON. A text body is sent as it is. */
export async function call(
  url: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer<AnyBody>> {
  const answer = await send(url, {
    method,
    headers: {
      ...OVER_HTTPS,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, body: parse(answer.text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function sessionRequest(changes: object = {}) {
  return {
    merchantOrderId: 'order-1',
    amountMinor: 1900,
    currency: 'USD' as const,
    returnUrl: `${SHOP_ORIGIN}/thanks`,
    ...changes,
  }
}

export function createSession(
  url: string,
  shop: Shop,
  { key, body = sessionRequest() }: { key?: string; body?: unknown } = {},
) {
  const headers = {
    authorization: `Bearer ${shop.token}`,
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return call(`${url}/v1/payment-sessions`, { headers, body })
}

export function lookUp(url: string, shop: Shop, paymentId: string) {
  const query = new URLSearchParams({ paymentId })
  return call(`${url}/v1/payments?${query}`, {
    method: 'GET',
    headers: { authorization: `Bearer ${shop.token}` },
  })
}

export function clickWidget(
  url: string,
  shop: Shop,
  { origin = SHOP_ORIGIN, body = {} }: { origin?: string | null; body?: object } = {},
) {
  const request = { publicKey: shop.publicKey, productId: 'tea', clientReference: 'click-1', ...body }
  return call(`${url}/api/widget/checkout`, { headers: origin === null ? {} : { origin }, body: request })
}

/** Requests an operation on a payment. `what`: the last part of its path. `waitSeconds`: for its result. */
export function askOperation(
  url: string,
  shop: Shop,
  paymentId: string,
  what: 'refunds' | 'capture' | 'void',
  { key, body, waitSeconds = 0 }: { key: string; body?: unknown; waitSeconds?: number },
) {
  const prefer = waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }
  const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': key, ...prefer }
  return call(`${url}/v1/payments/${paymentId}/${what}`, { headers, body })
}

export function cancelPayment(
  url: string,
  shop: Shop,
  paymentId: string,
  { key, body = { reason: 'the order has changed' } }: { key: string; body?: unknown },
) {
  const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': key }
  return call(`${url}/v1/payments/${paymentId}/cancel`, { headers, body })
}

export function lookUpOperation(url: string, shop: Shop, operationId: string) {
  const headers = { authorization: `Bearer ${shop.token}` }
  return call(`${url}/v1/operations/${operationId}`, { method: 'GET', headers })
}

/**
 * Plays the buyer: opens the bank's page, directly or through one of ours, chooses, and is redirected. Returns the last address.
 * `comesBack`: the buyer's browser returns, so that the service asks the bank.
 */
export async function payAtBank(
  checkoutUrl: string,
  outcome: string,
  { comesBack } = { comesBack: true },
): Promise<string | null> {
  // The address of our own control takes only a press, because link scanners follow links.
  const method = /\/continue(\?|$)/.test(checkoutUrl) ? 'POST' : 'GET'
  let page = checkoutUrl
  let answer = await send(page, { method })
  for (let next = answer.headers.get('location'); next !== null; next = answer.headers.get('location')) {
    page = new URL(next, page).href
    answer = await send(page)
  }
  const form = new URLSearchParams({ outcome })
  const chosen = await send(page.split('?')[0] ?? '', { method: 'POST', body: form })
  const address = chosen.headers.get('location') ?? ''
  if (!comesBack) return address
  const back = await send(address)
  return back.headers.get('location')
}

export function linkRequest(changes: object = {}) {
  return { amount: '19.00', currency: 'USD', description: 'Mountain tea', ...changes }
}

/** `key: null` sends no Idempotency-Key. */
export function createLink(
  url: string,
  shop: Shop,
  { key, body = linkRequest() }: { key: string | null; body?: unknown },
) {
  const headers = {
    authorization: `Bearer ${shop.token}`,
    ...(key !== null && { 'idempotency-key': key }),
  }
  return call(`${url}/v1/payment-links`, { headers, body })
}

export function readCapabilities(url: string, shop: Shop) {
  return call(`${url}/v1/capabilities`, { method: 'GET', headers: { authorization: `Bearer ${shop.token}` } })
}

/** Returns a hosted page as a browser gets it. */
export async function readPage(url: string, locale = 'en'): Promise<{ status: number; html: string }> {
  const headers = { ...OVER_HTTPS, 'accept-language': locale }
  const { status, text } = await send(url, { headers })
  return { status, html: text }
}

/** Returns a valid e-mail address of exactly this length (127 to 189 characters). */
export function emailOf(chars: number): string {
  const domain = `@${'d'.repeat(60)}.${'e'.repeat(chars - 126)}.example`
  return `${'a'.repeat(chars - domain.length)}${domain}`
}

/** Returns an address on the shop's origin of exactly this length. */
export function urlOf(chars: number): string {
  return `${SHOP_ORIGIN}/${'x'.repeat(chars - SHOP_ORIGIN.length - 1)}`
}
