/** Two merchants: every way in which one could access the data of the other, also where both have the same slot. */

import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newMerchantId, slotOf } from '../id.ts'
import { issueToken, revokeToken } from '../merchants/api-key.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { insertMerchant } from '../storage/merchants/merchants.ts'
import { findPayment } from '../storage/payments/payments.ts'
import {
  askOperation,
  clickWidget,
  createSession,
  lookUp,
  payAtBank,
  sessionRequest,
} from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { type Kassa, openShop, type Shop } from '../testing/harness.ts'
import { createSubscription, openToken, subscriptionRequest } from '../testing/payments/subscriptions.ts'
import { openKassa } from '../testing/scene.ts'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS } from './endpoints/index.ts'

const kassa = await openKassa()
const mine = await openShop(kassa.ctx)
const theirs = await openShop(kassa.ctx)

/** Every id of the other merchant, by its kind. */
let ids: Record<string, string>

const KEY = 'the-other-one-used-it'
const LINK = { amount: '15.00', currency: 'USD', description: 'Invoice 77' }
beforeAll(async () => {
  const { body: paid } = await createSession(kassa.url, theirs, { key: KEY })
  await payAtBank(paid.providerCheckoutUrl, 'paid')
  const { body: open } = await createSession(kassa.url, theirs, { key: 'open' })
  const link = await send(theirs, { method: 'POST', path: '/v1/payment-links', key: KEY, body: LINK })
  const { linkId, paymentId } = JSON.parse(link.text)
  const [event] = await listPaymentEvents(kassa.ctx.db, theirs.merchantId, paid.id)
  const savedCard = await openToken(kassa.url, theirs)
  const { body: begun } = await createSubscription(kassa.url, theirs, {
    body: subscriptionRequest(savedCard),
  })
  ids = {
    savedCard,
    subscription: begun.subscription.id,
    paidPayment: paid.id,
    openPayment: open.id,
    linkPayment: paymentId,
    link: linkId,
    merchant: theirs.merchantId,
    event: String(event?.id),
    installation: theirs.installationId,
    publicKey: theirs.publicKey,
    reference: paid.id.slice('pay_'.length),
  }
})

type Sent = { method: string; path: string; key?: string; body?: object }

/** Returns the response with only those parts masked that may differ between two calls. */
async function send(shop: Shop, { method, path, key, body }: Sent) {
  const answer = await fetch(kassa.url + path, {
    method,
    headers: {
      authorization: `Bearer ${shop.token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const requestId = answer.headers.get('x-request-id') ?? ''
  const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status: answer.status, headers, text: (await answer.text()).replace(requestId, 'REQUEST_ID') }
}

/** Where each endpoint accepts an id, or null if it accepts none. A new endpoint must be added here. */
function reachFor(endpoint: Endpoint, id: string): Sent | null {
  const method = endpoint.method.toUpperCase()
  switch (endpoint.path) {
    case '/v1/payments':
      return { method, path: `/v1/payments?paymentId=${id}` }
    case '/v1/operations/:operationId':
      return { method, path: `/v1/operations/${id}` }
    case '/v1/payments/:paymentId/refunds':
      return {
        method,
        path: `/v1/payments/${id}/refunds`,
        key: 'reach',
        body: { amountMinor: 1, reason: 'r' },
      }
    case '/v1/payments/:paymentId/capture':
      return { method, path: `/v1/payments/${id}/capture`, key: 'reach', body: {} }
    case '/v1/payments/:paymentId/cancel':
      return { method, path: `/v1/payments/${id}/cancel`, key: 'reach', body: { reason: 'r' } }
    case '/v1/payments/:paymentId/void':
      return { method, path: `/v1/payments/${id}/void`, key: 'reach', body: { reason: 'r' } }
    case '/v1/fiscal-receipts/:paymentId/retry':
      return { method, path: `/v1/fiscal-receipts/${id}/retry`, key: 'reach' }
    case '/v1/payment-method-tokens/:tokenId':
      return { method, path: `/v1/payment-method-tokens/${id}`, key: 'reach' }
    case '/v1/subscriptions':
      return { method, path: '/v1/subscriptions', key: 'reach', body: subscriptionRequest(id) }
    case '/v1/subscriptions/:subscriptionId/cancel':
      return { method, path: `/v1/subscriptions/${id}/cancel`, key: 'reach' }
    case '/v1/payment-method-tokens':
    case '/v1/payment-sessions':
    case '/v1/payment-links':
    case '/v1/capabilities':
      return null
    default:
      throw new Error(`Say where ${method} ${endpoint.path} takes an id.`)
  }
}

/** Returns an unknown id of the same form. */
const unknownLike = (id: string) =>
  id.slice(0, -12) + [...id.slice(-12)].map((char) => (char === 'z' ? 'y' : 'z')).join('')

const bearer = ENDPOINTS.filter(({ auth }) => auth.kind === 'bearer')

describe.each(bearer.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    test("responds to another merchant's ids exactly as to unknown ids", async () => {
      const before = await findPayment(kassa.ctx.db, theirs.merchantId, ids.openPayment ?? '')
      for (const [name, id] of Object.entries(ids)) {
        const [foreign, unknown] = [reachFor(endpoint, id), reachFor(endpoint, unknownLike(id))]
        if (!foreign || !unknown) continue
        const answer = await send(mine, foreign)
        expect([name, answer.status >= 400, answer]).toEqual([name, true, await send(mine, unknown)])
      }
      expect(await findPayment(kassa.ctx.db, theirs.merchantId, ids.openPayment ?? '')).toEqual(before)
    })
  },
)

test('an endpoint that accepts an id finds it for its own merchant', async () => {
  for (const name of ['paidPayment', 'openPayment', 'linkPayment'])
    expect((await send(theirs, { method: 'GET', path: `/v1/payments?paymentId=${ids[name]}` })).status).toBe(
      200,
    )
})

test.each([
  ['/v1/payment-sessions', sessionRequest()],
  ['/v1/payment-links', LINK],
])(
  'POST %s with a key and content that another merchant used makes a payment of its own',
  async (path, body) => {
    const own = await send(mine, { method: 'POST', path, key: KEY, body })
    expect(own.status).toBe(201)
    for (const id of Object.values(ids)) expect(own.text).not.toContain(id)
    const again = await send(theirs, { method: 'POST', path, key: KEY, body })
    expect(again.status).toBe(200)
    expect(again.text).toContain(path === '/v1/payment-links' ? ids.linkPayment : ids.paidPayment)
  },
)

test('capabilities are the same for every merchant, except for the time and the own name', async () => {
  const [left, right] = await Promise.all(
    [mine, theirs].map((shop) => send(shop, { method: 'GET', path: '/v1/capabilities' })),
  )
  const common = (text = '') =>
    text.replace(/"generatedAt":"[^"]+"/, '').replace(/"merchant":\{"id":"mer_\w+","name":"Test shop"\}/, '')
  expect(common(left?.text)).toBe(common(right?.text))
  expect(left?.text).not.toContain(theirs.merchantId)
})

/** Merchants may share a slot, and nobody can choose one. */
describe('merchants that share a slot', () => {
  /** Creates a merchant with the slot of another one, and a token for it. */
  async function openNeighbour({ ctx }: Kassa, { merchantId }: Shop): Promise<Shop> {
    const createdAt = ctx.clock.now()
    let id = newMerchantId(createdAt)
    while (slotOf(id) !== slotOf(merchantId)) id = newMerchantId(createdAt)
    await insertMerchant(ctx.db, { id, name: 'Neighbour', createdAt })
    const { token, tokenId } = await issueToken(ctx, { merchantId: id })
    return { merchantId: id, token, webhookSecret: '', publicKey: '', installationId: tokenId }
  }

  test('two merchants with one slot see nothing of each other', async () => {
    const shop = await openShop(kassa.ctx)
    const neighbour = await openNeighbour(kassa, shop)
    const shops = [shop, neighbour]
    const create = (of: Shop) => createSession(kassa.url, of, { key: 'one-key', body: sessionRequest() })
    const made = await Promise.all(shops.map(create))
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    const [mine, theirs] = made.map(({ body }) => body.id as string)
    expect(mine).not.toBe(theirs)
    expect((await Promise.all(shops.map(create))).map(({ status, body }) => [status, body.id])).toEqual([
      [200, mine],
      [200, theirs],
    ])
    const seen = async (of: Shop, id = '') => (await lookUp(kassa.url, of, id)).status
    expect([await seen(shop, mine), await seen(neighbour, theirs)]).toEqual([200, 200])
    expect([await seen(shop, theirs), await seen(neighbour, mine)]).toEqual([404, 404])
    const refund = { key: 'refund', body: { amountMinor: 100, reason: 'broken' } }
    expect((await askOperation(kassa.url, neighbour, mine ?? '', 'refunds', refund)).status).toBe(404)
    await revokeToken(kassa.ctx, neighbour.token)
    await expectWithin(5_000, () => seen(neighbour, theirs), 401)
    expect(await seen(shop, mine)).toBe(200)
  })

  test('a token or a public key with another slot is rejected', async () => {
    const shop = await openShop(kassa.ctx)
    const SLOT_AT = 'ksk_sandbox_'.length
    const withSlot = (key: string, slot: string) => key.slice(0, SLOT_AT) + slot + key.slice(SLOT_AT + 2)
    const own = slotOf(shop.merchantId)
    expect([withSlot(shop.token, own), withSlot(shop.publicKey, own)]).toEqual([shop.token, shop.publicKey])
    const next = (char = '') => (char === 'z' ? 'y' : 'z')
    const forged = [
      own[0] + next(own[1]),
      next(own[0]) + own[1],
      own.toUpperCase(),
      'é0',
      '',
      '00',
      `${own}0`,
    ]
    const wrong = forged.filter((slot) => slot !== own).map((slot) => encodeURI(withSlot(shop.token, slot)))
    const queries = vi.spyOn(kassa.ctx.db, 'query')
    const digestQueries = () =>
      queries.mock.calls.filter((call) => JSON.stringify(call).includes('digest = $1'))
    const create = (token: string) =>
      createSession(kassa.url, { ...shop, token }, { key: 'forged', body: sessionRequest() })
    for (const token of wrong) {
      const { status, body } = await create(token)
      expect([token, status, body.error?.code]).toEqual([token, 401, 'invalid_token'])
    }
    // The checksum covers the slot, so nobody was asked.
    expect(digestQueries()).toHaveLength(0)
    const body = withSlot(shop.token, next(own[0]) + own[1]).slice(0, -CHECKSUM_CHARS)
    expect((await create(body + checksumOf(body))).status).toBe(401)
    expect(digestQueries()).toHaveLength(1)
    expect((await create(shop.token)).status).toBe(201)
    const publicKey = withSlot(shop.publicKey, next(own[0]) + own[1])
    const click = await clickWidget(kassa.url, { ...shop, publicKey })
    expect([click.status, click.body.error.code]).toEqual([403, 'widget_key_invalid'])
  })

  const CHECKSUM_CHARS = 6
  const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  function checksumOf(body: string): string {
    const value = crc32(body)
    const digits = Array.from(
      { length: CHECKSUM_CHARS },
      (_, at) => BASE62[Math.floor(value / 62 ** at) % 62],
    )
    return digits.reverse().join('')
  }
})
