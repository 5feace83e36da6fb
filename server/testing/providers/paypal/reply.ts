/** Requests and responses of the simulated PayPal, and its errors in the form of the official documents. */
import type { SimAccount, World } from './books.ts'

export type SimRequest = {
  method: string
  /** The path with its query. */
  url: string
  headers: Record<string, string>
  body: string
}
export type Reply = { status: number; headers?: Record<string, string>; text: string }

/** One request of an account with a valid access token. */
export type AccountRequest = {
  world: World
  account: SimAccount
  query: URLSearchParams
  headers: Record<string, string>
  /** The parsed body, or undefined if there is none. */
  json: Record<string, unknown> | undefined
  text: string
}

export const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(body),
})
export const NO_CONTENT: Reply = { status: 204, text: '' }

/**
 * PayPal's documents require no field of an order, a payment, a dispute or an event. These are the fields without which an answer or
 * event means nothing. A driver has to work with them alone.
 */
const KEPT = [
  'id',
  'status',
  'links',
  'href',
  'rel',
  'amount',
  'currency_code',
  'value',
  'customer',
  'payment_source',
  'intent',
  'purchase_units',
  'custom_id',
  'payments',
  'authorizations',
  'captures',
  'refunds',
  'paypal',
  'items',
  'dispute_id',
  'dispute_outcome',
  'outcome_code',
  'disputed_transactions',
  'seller_transaction_id',
  'payment_tokens',
  'access_token',
  'token_type',
  'expires_in',
  'event_type',
  'resource',
  'url',
  'event_types',
  'name',
  'verification_status',
  'message',
  'debug_id',
  'details',
  'issue',
  'error',
  'error_description',
]

/** Returns the text of an answer or event. */
export function write({ isFull }: World, body: unknown): string {
  return JSON.stringify(body, isFull ? undefined : KEPT)
}

/** The name of the error, by HTTP status. */
const ERRORS = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  403: 'NOT_AUTHORIZED',
  404: 'RESOURCE_NOT_FOUND',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMIT_REACHED',
} as const

let debugIds = 0

export function refuse(status: keyof typeof ERRORS, issue: string, links: object[] = []): Reply {
  const debug_id = (++debugIds).toString(16).padStart(13, 'f')
  const details = [{ issue }]
  return json(status, { name: ERRORS[status], debug_id, details, ...(links.length > 0 && { links }) })
}

/** How long PayPal remembers a PayPal-Request-Id. */
const HOUR_MS = 3_600_000
export const LIFETIMES = { orders: 6 * HOUR_MS, payments: 45 * 24 * HOUR_MS, vault: 3 * HOUR_MS }

/**
 * Does a write once for its PayPal-Request-Id. A repeated id gets the current state of what was done, with 200 instead of 201, at any
 * other address too: PayPal "returns the latest status of the previous request that used that same header". `repeatRefusal` has done
 * the same with refusals.
 */
export function once(
  { account, world, headers }: AccountRequest,
  lifetimeMs: number,
  act: () => Reply | { made: () => object },
): Reply {
  const id = headers['paypal-request-id']
  const known = id === undefined ? undefined : account.replays.get(id)
  if (known && world.now().getTime() - known.at.getTime() < lifetimeMs) return json(200, known.again())
  const result = act()
  if (!('made' in result)) return result
  if (id !== undefined) account.replays.set(id, { at: world.now(), again: result.made })
  return json(201, result.made())
}

/** PayPal has not begun with a request that it limits, so the same request is a new one. */
const UNBEGUN = [401, 429]

function lifetimeOf(url: string): number {
  if (url.startsWith('/v2/payments/')) return LIFETIMES.payments
  return url.startsWith('/v3/vault/') ? LIFETIMES.vault : LIFETIMES.orders
}

/**
 * The documents do not say whether a refusal is remembered. By the strictest reading a refusal is the "latest status of the previous
 * request" too. So another answer needs another id, also after the cause is mended.
 */
export function repeatRefusal(world: World, account: SimAccount, { url, headers }: SimRequest): Reply | null {
  const known = account.repeatedRefusals.get(headers['paypal-request-id'] ?? '')
  return known && world.now().getTime() - known.at.getTime() < lifetimeOf(url) ? known.reply : null
}

export function keepRefusal(world: World, account: SimAccount, { headers }: SimRequest, reply: Reply): void {
  const id = headers['paypal-request-id']
  const isRefusal = reply.status >= 400 && reply.status < 500 && !UNBEGUN.includes(reply.status)
  if (id !== undefined && isRefusal) account.repeatedRefusals.set(id, { at: world.now(), reply })
}

/** An error of the vault. These errors have a sentence for people. */
export function refuseVaulting(status: 400 | 404 | 422, issue: string): Reply {
  const debug_id = (++debugIds).toString(16).padStart(13, 'f')
  const message = 'The simulated PayPal does not do this.'
  return json(status, { name: ERRORS[status], message, debug_id, details: [{ issue }] })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a member of a member. */
export function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}
