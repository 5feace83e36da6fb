import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PaymentLinkResponse } from '../../contract/link.ts'
import { createLink, linkRequest, lookUp, payAtBank, readPage } from '../../testing/calls.ts'
import {
  type Kassa,
  openShop,
  SHOP_ORIGIN,
  type Shop,
  spawnKassa,
  startKassa,
} from '../../testing/harness.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

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
    const id = body.paymentId.slice('pay_'.length)
    expect(body).toMatchObject({
      ok: true,
      created: true,
      linkId: `lnk_${id}`,
      status: 'pending_redirect',
      paymentUrl: `${kassa.url}/link/lnk_${id}`,
      checkoutUrl: `${kassa.url}/checkout/pay_${id}`,
      qr: { type: 'url', value: body.paymentUrl, proofOfPayment: 'webhook_or_reconciliation_only' },
      payment: { id: body.paymentId, amountMinor: 1900, currency: 'USD', provider: 'route_a' },
    })
    expect(body.payment.merchantOrderId).toMatch(/^lnk_[0-9a-v]{20}$/)
    expect(body.providerCheckoutUrl).toBe(body.payment.providerCheckoutUrl)
  })

  test('is replayed by its key with the same ids and addresses, and the state of now', async () => {
    const first = await make('replayed')
    await payAtBank(first.body.providerCheckoutUrl, 'paid')
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
  ])('asked for with %j and then %j is one link', async (one, other) => {
    const key = `spelling ${one}`
    const [first, again] = [await make(key, { amount: one }), await make(key, { amount: other })]
    expect([first.status, again.status, again.body.paymentId]).toEqual([201, 200, first.body.paymentId])
  })

  test('that names its minor units too is the same link as one that does not', async () => {
    const first = await make('minor', { amountMinor: 1900 })
    expect([first.status, (await make('minor')).status]).toEqual([201, 200])
  })

  test('with one expiry in two time zones is one link', async () => {
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
  ])('under a used key with another %s is refused and writes nothing', async (field, change) => {
    const key = `used ${field}`
    await make(key)
    const before = await countPayments()
    const refused = await make(key, change)
    expect([refused.status, refused.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(refused.body.errors).toHaveProperty('Idempotency-Key')
    expect(await countPayments()).toBe(before)
  })

  test('gets another reference from another key and from another merchant, and the same from the same', async () => {
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

  test('that the caller names keeps the caller’s reference', async () => {
    const { body } = await make('named', { merchantOrderId: 'order-17' })
    expect(body.payment.merchantOrderId).toBe('order-17')
  })

  test('without an end of its own lasts 30 days', async () => {
    const before = kassa.clock.now().getTime()
    const ends = Date.parse((await make('endless')).body.expiresAt)
    expect(ends).toBeGreaterThanOrEqual(before + 30 * DAY_MS)
    expect(ends).toBeLessThan(before + 30 * DAY_MS + MINUTE_MS)
  })

  test('is replayed by a retry that comes after its end', async () => {
    const expiresAt = inMs(MINUTE_MS)
    const first = await make('late retry', { expiresAt })
    kassa.clock.advance(2 * MINUTE_MS)
    const again = await make('late retry', { expiresAt })
    expect([again.status, again.body.paymentId]).toEqual([200, first.body.paymentId])
    expect((await make('late anew', { expiresAt })).body.errors).toEqual({
      expiresAt: 'must be in the future',
    })
  })

  test('on a route that is not ready is refused under the request’s own name for it', async () => {
    const { status, body } = await make('not ready', { providerRoute: 'route_e' })
    expect([status, body.error.code, Object.keys(body.errors)]).toEqual([
      422,
      'provider_route_not_ready',
      ['providerRoute'],
    ])
  })

  test('on a route that does not take the currency is refused', async () => {
    const { route_c } = kassa.ctx.routes
    const { driver } = route_c
    if (!driver) throw new Error('route_c is the sandbox')
    kassa.ctx.routes.route_c = { ...route_c, driver: { ...driver, currencies: ['AMD'] } }
    const { status, body } = await make('currency', { providerRoute: 'route_c' })
    kassa.ctx.routes.route_c = route_c
    expect([status, body.error.code]).toEqual([422, 'provider_route_unsupported'])
    expect(body.errors).toEqual({ providerRoute: 'route_c takes AMD' })
  })

  test('is 503 when no route was named and the default one is not ready, and its key stays free', async () => {
    const { config } = kassa.ctx
    kassa.ctx.config = { ...config, defaultProvider: 'route_e' }
    const refused = await make('default')
    kassa.ctx.config = config
    expect([refused.status, refused.body.error.code]).toEqual([503, 'provider_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await make('default')).status).toBe(201)
  })
})

test('100 identical links over two processes are one: one 201, 99 replays', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web' }
  const processes = await Promise.all([spawnKassa(settings), spawnKassa(settings)])
  try {
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          createLink(processes[index % 2]?.url ?? '', shop, { key: `both-${round}` }),
        ),
      )
      expect(answers.filter(({ status, body }) => status === 201 && body.created)).toHaveLength(1)
      const replays = answers.filter(
        ({ status, headers, body }) =>
          status === 200 && headers.get('x-idempotent-replay') === 'true' && !body.created,
      )
      expect(replays).toHaveLength(99)
      expect(new Set(answers.map(({ body }) => body.linkId)).size).toBe(1)
    }
  } finally {
    await Promise.all(processes.map((process) => process.kill('SIGKILL')))
  }
})

describe('the page of a link', () => {
  const PAY = 'data-testid="pay"'
  const hrefOf = (html: string, testId: string) =>
    new RegExp(`href="([^"]*)"[^>]*data-testid="${testId}"`).exec(html)?.[1] ?? ''

  test('leads to the checkout, the checkout to the bank, and afterwards it is a receipt', async () => {
    const { body } = await make('flow', { returnUrl: `${SHOP_ORIGIN}/thanks` })
    const page = await readPage(body.paymentUrl)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Mountain tea')
    expect(page.html).toContain('$19.00')
    expect(page.html.split(PAY)).toHaveLength(2)
    const checkout = await readPage(hrefOf(page.html, 'pay'))
    const returned = await payAtBank(hrefOf(checkout.html, 'pay'), 'paid')
    expect(returned).toBe(
      `${SHOP_ORIGIN}/thanks?paymentId=${body.paymentId}&merchantOrderId=${body.payment.merchantOrderId}`,
    )
    expect((await lookUp(kassa.url, shop, body.paymentId)).body.status).toBe('paid')
    const receipt = (await readPage(body.paymentUrl)).html
    expect(receipt).toContain('data-status="paid"')
    expect(receipt).not.toMatch(/data-testid="(pay|continue|qr)"|\/checkout\//)
  })

  test.each([
    ['declined', 'failed'],
    ['cancelled', 'cancelled'],
    ['unknown', 'status_unknown'],
    ['pending', 'pending_payment'],
  ])('asks nobody to pay again after the bank’s %s', async (outcome, status) => {
    const { body } = await make(`page ${outcome}`)
    await payAtBank(body.providerCheckoutUrl, outcome)
    const { html } = await readPage(body.paymentUrl)
    expect(html).toContain(`data-status="${status}"`)
    expect(html).not.toContain(PAY)
    expect(html).not.toContain('data-testid="qr"')
  })

  test('lets a buyer who left the bank go on with the same payment', async () => {
    const { body } = await make('page left')
    await fetch(body.providerCheckoutUrl)
    const { html } = await readPage(body.paymentUrl)
    expect(html).not.toContain(PAY)
    expect(hrefOf(html, 'continue')).toBe(body.checkoutUrl)
  })

  test('refuses once the link has ended, on the manual route too', async () => {
    const expiresAt = inMs(MINUTE_MS)
    const links = [
      await make('page expired', { expiresAt }),
      await make('page expired by hand', { expiresAt, providerRoute: 'manual' }),
    ]
    kassa.clock.advance(MINUTE_MS)
    for (const { body } of links) {
      const { html } = await readPage(body.paymentUrl)
      expect(html).toContain('The time to pay has passed')
      expect(html).not.toMatch(/data-testid="(pay|continue|qr)"/)
    }
    expect((await lookUp(kassa.url, shop, links[0]?.body.paymentId)).body.status).toBe('expired')
  })

  test('keeps the language that the buyer chose', async () => {
    const { body } = await make('page language')
    const { html } = await readPage(`${body.paymentUrl}?locale=hy`)
    expect(html).toContain('<html lang="hy">')
    expect(hrefOf(html, 'pay')).toBe(`${body.checkoutUrl}?locale=hy`)
  })

  test('is not there for an id that is no link’s', async () => {
    const { body } = await make('page id')
    for (const id of [body.paymentId, 'lnk_', `${body.linkId}0`, `lnk_${'0'.repeat(26)}`, '%00'])
      expect([id, (await readPage(`${kassa.url}/link/${id}`)).status]).toEqual([id, 404])
  })
})
