/** Payment links, and their page: what a buyer sees in each state of the payment. */
import { describe, expect, test } from 'vitest'
import { PaymentLinkResponse } from '../../contract/link.ts'
import { createLink, linkRequest, lookUp, payAtBank, readPage } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'
import { serveHere } from '../../testing/serve-here.ts'

const { kassa, shop } = await openScene()

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

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

describe('the page of a link', () => {
  const PAY = 'data-testid="pay"'
  const actionOf = (html: string) => /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? ''
  const hrefOf = (html: string, testId: string) =>
    new RegExp(`href="([^"]*)"[^>]*data-testid="${testId}"`).exec(html)?.[1] ?? ''

  test('leads straight on to the bank, and shows the paid payment afterwards', async () => {
    const { body } = await make('flow', { returnUrl: `${SHOP_ORIGIN}/thanks` })
    const page = await readPage(body.paymentUrl)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Mountain tea')
    expect(page.html).toContain('$19.00')
    expect(page.html.split(PAY)).toHaveLength(2)
    const returned = await payAtBank(actionOf(page.html), 'paid')
    expect(returned).toBe(
      `${SHOP_ORIGIN}/thanks?paymentId=${body.paymentId}&merchantOrderId=${body.payment.merchantOrderId}`,
    )
    expect((await lookUp(kassa.url, shop, body.paymentId)).body.status).toBe('paid')
    const paidPage = (await readPage(body.paymentUrl)).html
    expect(paidPage).toContain('data-status="paid"')
    expect(paidPage).not.toMatch(/data-testid="(pay|continue|qr)"|\/continue"/)
  })

  test.each([
    ['cancelled', 'cancelled'],
    ['unknown', 'status_unknown'],
    ['pending', 'pending_payment'],
  ])('does not ask for payment again after the bank’s answer "%s"', async (outcome, status) => {
    const { body } = await make(`page ${outcome}`)
    await payAtBank(`${body.checkoutUrl}/continue`, outcome)
    const { html } = await readPage(body.paymentUrl)
    expect(html).toContain(`data-status="${status}"`)
    expect(html).not.toContain(PAY)
    expect(html).not.toContain('data-testid="qr"')
  })

  test('offers another try after a declined one', async () => {
    const { body } = await make('page declined', { returnUrl: `${SHOP_ORIGIN}/thanks` })
    await payAtBank(`${body.checkoutUrl}/continue`, 'declined')
    const { html } = await readPage(body.paymentUrl)
    expect(html).toContain('Try again')
    expect(await payAtBank(actionOf(html), 'paid')).toContain(`paymentId=${body.paymentId}`)
    expect((await lookUp(kassa.url, shop, body.paymentId)).body.status).toBe('paid')
  })

  test('lets a buyer who left the bank’s page continue the same payment', async () => {
    const { body } = await make('page left')
    await fetch(`${body.checkoutUrl}/continue`, { method: 'POST' })
    const { html } = await readPage(body.paymentUrl)
    expect(html).not.toContain(PAY)
    expect(hrefOf(html, 'continue')).toBe(body.checkoutUrl)
  })

  test('says that the time to pay has passed once the link has expired, also on the manual route', async () => {
    const expiresAt = new Date(kassa.clock.now().getTime() + MINUTE_MS).toISOString()
    const links = [
      await make('page expired', { expiresAt }),
      await make('page expired by hand', { expiresAt, providerRoute: 'manual' }),
    ]
    kassa.clock.advance(MINUTE_MS)
    const pages = await Promise.all(links.map(({ body }) => readPage(body.paymentUrl)))
    expect(pages[0]?.html).toContain('The time to pay has passed')
    // A transfer may be on its way.
    expect(pages[1]?.html).toContain('The order is no longer kept for you')
    for (const { html } of pages) expect(html).not.toMatch(/data-testid="(pay|continue|qr)"/)
    expect((await lookUp(kassa.url, shop, links[0]?.body.paymentId)).body.status).toBe('expired')
  })

  test('keeps the language that the buyer chose', async () => {
    const { body } = await make('page language')
    const { html } = await readPage(`${body.paymentUrl}?locale=hy`)
    expect(html).toContain('<html lang="hy">')
    expect(actionOf(html)).toBe(`${body.checkoutUrl}/continue?locale=hy`)
  })

  test('returns 404 for an unknown or malformed link id', async () => {
    const { body } = await make('page id')
    for (const id of [body.paymentId, 'lnk_', `${body.linkId}0`, `lnk_${'0'.repeat(26)}`, '%00'])
      expect([id, (await readPage(`${kassa.url}/link/${id}`)).status]).toEqual([id, 404])
  })
})
