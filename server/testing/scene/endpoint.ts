/** An endpoint of the API with a request to it that succeeds. */
import type { ProviderRoute } from '../../contract/fields.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askOperation, call, createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop } from '../harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  tokenRequest,
} from '../payments/subscriptions.ts'

export type Sending = {
  method?: string
  headers?: Record<string, string | undefined>
  /** Changes of the valid body. A text is sent unchanged. */
  body?: object | string
  query?: Record<string, string>
  /** The ids in the path. */
  params?: Record<string, string>
}
export type Scene = {
  kassa: Kassa
  shop: Shop
  endpoint: Endpoint
  /** The request that succeeds. */
  valid: Valid
  send(change?: Sending): Promise<unknown>
}

let orders = 0

/** Returns an endpoint with a request that succeeds, and a new shop that is in no cache. */
export async function setScene(kassa: Kassa, endpoint: Endpoint): Promise<Scene> {
  const shop = await openShop(kassa.ctx)
  const order = `scene-${++orders}`
  const valid = await validRequest(kassa, shop, endpoint, order)
  return {
    kassa,
    shop,
    endpoint,
    valid,
    async send({ method, headers, body, query, params } = {}) {
      const all = { ...valid.headers, ...headers }
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const sent = typeof body === 'string' ? body : valid.body && { ...valid.body, ...body }
      const search = new URLSearchParams(query ?? valid.query)
      const ids = { ...valid.params, ...params }
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '')
      return call(`${kassa.url}${path}?${search}`, {
        method: method ?? endpoint.method.toUpperCase(),
        headers: Object.fromEntries(given),
        ...(sent && { body: sent }),
      })
    },
  }
}

export type Valid = {
  headers: Record<string, string>
  body?: object
  query?: Record<string, string>
  params?: Record<string, string>
}

/** Asks for a refund of a paid payment. Returns its operation. */
async function refundOn(kassa: Kassa, shop: Shop, key: string): Promise<string> {
  const paymentId = await payOn(kassa, shop, 'route_a')
  const request = { key, body: { amountMinor: 500, reason: 'Broken cup' } }
  return (await askOperation(kassa.url, shop, paymentId, 'refunds', request)).body.operation.id
}

async function validRequest(kassa: Kassa, shop: Shop, endpoint: Endpoint, order: string): Promise<Valid> {
  const headers = {
    ...(endpoint.auth.kind === 'bearer' && { authorization: `Bearer ${shop.token}` }),
    ...(endpoint.auth.kind === 'widget' && { origin: SHOP_ORIGIN }),
    ...(endpoint.idempotencyKey && { 'idempotency-key': order }),
  }
  switch (endpoint.path) {
    case '/v1/payment-sessions':
      return { headers, body: sessionRequest({ merchantOrderId: order }) }
    case '/v1/payment-links':
      return { headers, body: { amount: '15.00', currency: 'USD', description: 'Invoice 77' } }
    case '/v1/payments': {
      const { body } = await createSession(kassa.url, shop, { key: order })
      return { headers, query: { paymentId: body.id } }
    }
    case '/v1/operations/:operationId':
      return { headers, params: { operationId: await refundOn(kassa, shop, order) } }
    case '/v1/payments/:paymentId/refunds': {
      const params = { paymentId: await payOn(kassa, shop, 'route_a') }
      return { headers, params, body: { amountMinor: 500, reason: 'Broken cup' } }
    }
    case '/v1/payments/:paymentId/capture':
      return {
        headers,
        params: { paymentId: await payOn(kassa, shop, 'route_b') },
        body: { amountMinor: 1000 },
      }
    case '/v1/payments/:paymentId/void':
      return {
        headers,
        params: { paymentId: await payOn(kassa, shop, 'route_b') },
        body: { reason: 'Changed mind' },
      }
    case '/v1/payments/:paymentId/cancel': {
      const { body } = await createSession(kassa.url, shop, { key: order })
      return { headers, params: { paymentId: body.id }, body: { reason: 'Changed mind' } }
    }
    case '/v1/fiscal-receipts/:paymentId/retry': {
      const metadata = { sandboxFault: 'receipt_fails_once' }
      const params = { paymentId: await payOn(kassa, shop, 'route_a', { metadata }) }
      await SWEEPS.fiscalReceipts(kassa.ctx)
      return { headers, params, body: {} }
    }
    case '/v1/payment-method-tokens':
      return { headers, body: tokenRequest() }
    case '/v1/payment-method-tokens/:tokenId':
      return { headers, params: { tokenId: await openToken(kassa.url, shop) }, body: {} }
    case '/v1/subscriptions':
      return { headers, body: subscriptionRequest(await openToken(kassa.url, shop)) }
    case '/v1/subscriptions/:subscriptionId/cancel': {
      const request = { body: subscriptionRequest(await openToken(kassa.url, shop)) }
      const { body } = await createSubscription(kassa.url, shop, request)
      return { headers, params: { subscriptionId: body.subscription.id }, body: {} }
    }
    case '/api/widget/checkout':
      return { headers, body: { publicKey: shop.publicKey, productId: 'tea', clientReference: order } }
    default:
      return { headers }
  }
}

/** Creates a payment of this route that the buyer has paid or authorized. Returns its id. */
export async function payOn(
  kassa: Kassa,
  shop: Shop,
  provider: ProviderRoute,
  changes: object = {},
): Promise<string> {
  const order = `paid-${++orders}`
  const { body } = await createSession(kassa.url, shop, {
    key: order,
    body: sessionRequest({ merchantOrderId: order, provider, ...changes }),
  })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  return body.id
}
