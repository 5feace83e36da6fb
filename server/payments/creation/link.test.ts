import { describe, expect, test } from 'vitest'
import { PaymentLinkResponse } from '../../contract/link.ts'
import { createLink, linkRequest, payAtBank } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'
import { serveHere } from '../../testing/serve-here.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const { kassa, shop } = await openScene()

const inMs = (ms: number) => new Date(kassa.clock.now().getTime() + ms).toISOString()
const make = (key: string, change: object = {}) =>
  createLink(kassa.url, shop, { key, body: linkRequest(change) })

async function countPayments(): Promise<number> {
  const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.payments')
  return rows[0].count
}

describe('a link', () => {
  test('has the contract’s fields and nothing else', async () => {
    const { status, headers, body } = await make('fields', { customer: { name: 'A' }, metadata: { a: 1 } })
    expect([status, headers.get('x-idempotent-replay')]).toEqual([201, null])
    expect(PaymentLinkResponse.parse(body)).toEqual(body)
    const id = body.paymentId.slice('pay_test_'.length)
    expect(body).toMatchObject({
      ok: true,
      created: true,
      linkId: `lnk_test_${id}`,
      status: 'pending_redirect',
      paymentUrl: `${kassa.url}/link/lnk_test_${id}`,
      checkoutUrl: `${kassa.url}/checkout/pay_test_${id}`,
      qr: { type: 'url', value: body.paymentUrl, proofOfPayment: 'webhook_or_reconciliation_only' },
      payment: { id: body.paymentId, amountMinor: 1900, currency: 'USD', provider: 'route_a' },
    })
    expect(body.payment.merchantOrderId).toMatch(/^lnk_test_[0-9a-v]{20}$/)
    // The order is opened when the buyer goes on.
    expect([body.providerCheckoutUrl, body.payment.providerCheckoutUrl]).toEqual([undefined, undefined])
  })

  test('is replayed by its key with the same ids and addresses, and with its current state', async () => {
    const first = await make('replayed')
    await payAtBank(`${first.body.checkoutUrl}/continue`, 'paid')
    const again = await make('replayed')
    expect([again.status, again.headers.get('x-idempotent-replay')]).toEqual([200, 'true'])
    expect(again.body).toMatchObject({ created: false, status: 'paid' })
    for (const field of ['linkId', 'paymentId', 'paymentUrl', 'checkoutUrl', 'expiresAt', 'qr'])
      expect(again.body[field]).toEqual(first.body[field])
    expect(again.body.providerCheckoutUrl).toBeUndefined()
  })

  test.each([
    ['10', '10.0'],
    ['10.00', 10],
    [10.5, '10.50'],
  ])('with the amount %j and then %j is the same link', async (one, other) => {
    const key = `spelling ${one}`
    const [first, again] = [await make(key, { amount: one }), await make(key, { amount: other })]
    expect([first.status, again.status, again.body.paymentId]).toEqual([201, 200, first.body.paymentId])
  })

  test('is the same link with amountMinor and without it', async () => {
    const first = await make('minor', { amountMinor: 1900 })
    expect([first.status, (await make('minor')).status]).toEqual([201, 200])
  })

  test('is the same link if one expiry is written in two time zones', async () => {
    const day = inMs(5 * DAY_MS).slice(0, 10)
    const utc = `${day}T10:00:00Z`
    const yerevan = `${day}T14:00:00+04:00`
    const first = await make('zones', { expiresAt: utc })
    const again = await make('zones', { expiresAt: yerevan })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body.expiresAt).toBe(new Date(utc).toISOString())
  })

  test.each<[string, object]>([
    ['amount', { amount: '19.01' }],
    ['currency', { currency: 'EUR' }],
    ['description', { description: 'Other tea' }],
    ['providerRoute', { providerRoute: 'route_b' }],
    ['merchantOrderId', { merchantOrderId: 'order-1' }],
    ['returnUrl', { returnUrl: `${SHOP_ORIGIN}/x` }],
    ['customer', { customer: { name: 'A' } }],
    ['metadata', { metadata: { a: 1 } }],
    ['expiresAt', { expiresAt: '2200-01-01T00:00:00Z' }],
  ])('under a used key with another %s is rejected and writes nothing', async (field, change) => {
    const key = `used ${field}`
    await make(key)
    const before = await countPayments()
    const rejected = await make(key, change)
    expect([rejected.status, rejected.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(rejected.body.errors).toHaveProperty('Idempotency-Key')
    expect(await countPayments()).toBe(before)
  })

  test('gets an order id that depends on the merchant and the key', async () => {
    const other = await openShop(kassa.ctx)
    const answers = [
      await make('derived'),
      await make('derived'),
      await make('derived-2'),
      await createLink(kassa.url, other, { key: 'derived' }),
    ]
    const [first, same, ...others] = answers.map(({ body }) => body.payment.merchantOrderId)
    expect(same).toBe(first)
    expect(new Set([first, ...others]).size).toBe(3)
    expect(new Set(answers.map(({ body }) => body.linkId)).size).toBe(3)
  })

  test('keeps the order id that the caller gave', async () => {
    const { body } = await make('named', { merchantOrderId: 'order-17' })
    expect(body.payment.merchantOrderId).toBe('order-17')
  })

  test('without expiresAt expires after 30 days', async () => {
    const before = kassa.clock.now().getTime()
    const expiresAt = Date.parse((await make('no-expiry')).body.expiresAt)
    expect(expiresAt).toBeGreaterThanOrEqual(before + 30 * DAY_MS)
    expect(expiresAt).toBeLessThan(before + 30 * DAY_MS + MINUTE_MS)
  })

  test('is still replayed by a retry after it has expired', async () => {
    const expiresAt = inMs(MINUTE_MS)
    const first = await make('late retry', { expiresAt })
    kassa.clock.advance(2 * MINUTE_MS)
    const again = await make('late retry', { expiresAt })
    expect([again.status, again.body.paymentId]).toEqual([200, first.body.paymentId])
    expect((await make('late new link', { expiresAt })).body.errors).toEqual({
      expiresAt: 'must be in the future',
    })
  })

  test('on a route that is not ready is rejected, with the field name that links use for the route', async () => {
    const { status, body } = await make('not ready', { providerRoute: 'route_e' })
    expect([status, body.error.code, Object.keys(body.errors)]).toEqual([
      422,
      'provider_route_not_ready',
      ['providerRoute'],
    ])
  })

  test('on a route that does not accept the currency is rejected', async () => {
    const { route_c } = kassa.ctx.routes
    const { driver } = route_c
    if (!driver) throw new Error('Bug! route_c has a driver in sandbox mode.')
    kassa.ctx.routes.route_c = { ...route_c, driver: { ...driver, currencies: ['AMD'] } }
    const { status, body } = await make('currency', { providerRoute: 'route_c' })
    kassa.ctx.routes.route_c = route_c
    expect([status, body.error.code]).toEqual([422, 'provider_route_unsupported'])
    expect(body.errors).toEqual({ providerRoute: 'route_c accepts only AMD' })
  })

  test('without a route returns 503 while the default route is not ready, and its key stays free', async () => {
    const { config } = kassa.ctx
    kassa.ctx.config = { ...config, defaultProvider: 'route_e' }
    const rejected = await make('default')
    kassa.ctx.config = config
    expect([rejected.status, rejected.body.error.code]).toEqual([503, 'provider_unavailable'])
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await make('default')).status).toBe(201)
  })
})

test('40 identical concurrent requests to two services on one database create one link: one 201 and 39 replays', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web' }
  const services = await Promise.all([serveHere(settings), serveHere(settings)])
  try {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        createLink(services[index % 2]?.url ?? '', shop, { key: 'both' }),
      ),
    )
    expect(answers.filter(({ status, body }) => status === 201 && body.created)).toHaveLength(1)
    const replays = answers.filter(
      ({ status, headers, body }) =>
        status === 200 && headers.get('x-idempotent-replay') === 'true' && !body.created,
    )
    expect(replays).toHaveLength(39)
    expect(new Set(answers.map(({ body }) => body.linkId)).size).toBe(1)
  } finally {
    await Promise.all(services.map((each) => each.stop()))
  }
})
