/**
 * A bank debit at Stripe, and an eCheck or a review at PayPal: the buyer has finished, and the provider decides after days. Real HTTP
 * on both sides. Callbacks arrive only where a test delivers them.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { translate } from '../messages/translate.ts'
import { listAttempts } from '../storage/payments/attempt-orders.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import {
  askOperation,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  readPage,
  sessionRequest,
} from '../testing/calls.ts'
import {
  type BothProviders,
  type ProviderName,
  ROUTES,
  setBothProviders,
} from '../testing/providers/both-providers.ts'
import type { Fault } from '../testing/providers/paypal/faults.ts'
import { actAsBuyer } from '../testing/providers/paypal-server.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PROVIDERS = ['stripe', 'paypal'] as const
const LOCALES = ['en', 'hy', 'ru'] as const
type Locale = (typeof LOCALES)[number]

/** `hoursAtOnce`: the clock moves by so much before the due questions are asked. */
export function testUnderWayProviders({ hoursAtOnce }: { hoursAtOnce: number }): void {
  let scene: BothProviders
  beforeAll(async () => {
    scene = await setBothProviders()
  })
  afterAll(() => scene.close())
  /** What the providers send is lost unless a test delivers it. */
  const loseCallbacks = () => void [scene.stripe.webhooks(), scene.paypal.takeSent()]
  beforeEach(loseCallbacks)

  async function advance(ms: number): Promise<void> {
    scene.kassa.clock.advance(ms)
    await scene.stripe.later(ms)
    scene.paypal.paypal.work()
    await SWEEPS.statusSync(scene.kassa.ctx)
  }
  async function passDays(days: number): Promise<void> {
    for (let hours = days * 24; hours > 0; hours -= hoursAtOnce)
      await advance(Math.min(hours, hoursAtOnce) * HOUR_MS)
  }
  async function deliver(): Promise<void> {
    const { kassa, stripe, paypal } = scene
    const at = `${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`
    for (const { headers, body } of stripe.webhooks())
      expect((await fetch(at, { method: 'POST', headers, body: new Uint8Array(body) })).status).toBe(200)
    for (const { url, headers, body } of paypal.takeSent())
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  }

  type Opened = { id: string; page: string; url: string }
  /** How each provider is paid so that it works on the payment for days, and how that ends. */
  const ENDS = {
    accepts: { stripe: 'bank_debit', paypal: 'echeck_clears' },
    refuses: { stripe: 'bank_debit_fails', paypal: 'echeck_fails' },
  } as const satisfies Record<string, Record<ProviderName, string>>
  type End = keyof typeof ENDS

  /** The buyer pays and comes back. Returns the address to which our answer leads. */
  async function finish(provider: ProviderName, opened: Opened, end: End, fault?: Fault): Promise<string> {
    if (provider === 'stripe') {
      scene.stripe.buyer(opened, ENDS[end].stripe)
      return comeBack(`${opened.page}/return`)
    }
    scene.orderAt(opened).fault = fault ?? ENDS[end].paypal
    return comeBack(await actAsBuyer(opened.url, 'pay'))
  }
  async function comeBack(address: string): Promise<string> {
    return (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
  }
  async function openAndFinish(provider: ProviderName, end: End, changes: object = {}): Promise<Opened> {
    const opened = await scene.open(provider, changes)
    await finish(provider, opened, end)
    return opened
  }

  const payment = async (id: string) => {
    const found = await findPaymentById(scene.kassa.ctx.db, id)
    if (!found) throw new Error('there is no such payment')
    return found
  }
  const status = async (id: string) => (await payment(id)).status
  const attempts = async (id: string) => listAttempts(scene.kassa.ctx.db, await payment(id))
  const view = async (id: string) => (await lookUp(scene.kassa.url, scene.shop, id)).body
  const ordersAtProviders = () => scene.stripe.account.sessions.size + scene.paypal.account.orders.size
  async function eventsOf(id: string) {
    const { rows } = await scene.kassa.ctx.db.query<{ status: string; body: string }>(
      'select status, body from sandbox.events where payment_id = $1 order by sequence',
      [id],
    )
    return rows.map(({ status, body }) => [status, JSON.parse(body).payment.processingSince !== undefined])
  }

  /** The page says that the bank is working, and nothing that makes a buyer pay again. */
  async function expectAtWork(address: string, locales: readonly Locale[] = ['en']): Promise<void> {
    for (const locale of locales) {
      const { html } = await readPage(`${address}${address.includes('?') ? '&' : '?'}locale=${locale}`)
      expect(html).toContain(translate(locale, 'pages.processingTitle'))
      expect(html).not.toContain('data-testid="pay"')
      for (const key of ['nothingTaken', 'nothingHeld', 'expiredText', 'tryAgain', 'continueAtBank'] as const)
        expect(html).not.toContain(translate(locale, `pages.${key}`))
    }
  }

  describe.each(PROVIDERS)('a payment on which %s works for days', (provider) => {
    test('is told once, is paid when the provider accepts, and never expires meanwhile', async () => {
      const opened = await scene.open(provider)
      const back = await finish(provider, opened, 'accepts')
      expect(back).toContain(`/checkout/${opened.id}?returned`)
      await expectAtWork(back, LOCALES)
      expect(await view(opened.id)).toMatchObject({
        status: 'pending_payment',
        processingSince: expect.any(String),
        capturedMinor: 0,
      })
      expect(await view(opened.id)).not.toHaveProperty('providerCheckoutUrl')
      await advance(3 * HOUR_MS)
      await expectAtWork(opened.page)
      await passDays(3)
      expect(await status(opened.id)).toBe('pending_payment')
      await expectAtWork(opened.page)
      loseCallbacks()
      await passDays(5)
      expect(await status(opened.id)).toBe('paid')
      expect(await view(opened.id)).not.toHaveProperty('processingSince')
      expect(await eventsOf(opened.id)).toEqual([
        ['pending_payment', true],
        ['paid', false],
      ])
      expect((await readPage(opened.page)).html).toContain(translate('en', 'pages.paidTitle'))
    })

    test('fails when the provider refuses after its expiry, and only then says that no money was taken', async () => {
      const { id, page } = await openAndFinish(provider, 'refuses')
      await passDays(3)
      await expectAtWork(page)
      await passDays(5)
      expect(await status(id)).toBe('failed')
      expect((await readPage(page)).html).toContain(translate('en', 'pages.nothingTaken'))
      expect(await eventsOf(id)).toEqual([
        ['pending_payment', true],
        ['failed', false],
      ])
    })

    test('is settled by the callback at once, without a question of the schedule', async () => {
      const { id } = await openAndFinish(provider, 'accepts')
      await passDays(1)
      const ms = 6 * DAY_MS
      scene.kassa.clock.advance(ms)
      await scene.stripe.later(ms)
      expect(await status(id)).toBe('pending_payment')
      await deliver()
      expect(await status(id)).toBe('paid')
    })

    test('opens no other order: not by a click, by the form, by the same key, nor after its expiry', async () => {
      const key = `again-${provider}`
      const body = sessionRequest({ merchantOrderId: key, provider: ROUTES[provider] })
      const { kassa, shop } = scene
      const first = (await createSession(kassa.url, shop, { key, body })).body
      const opened = {
        id: first.id,
        page: `${kassa.url}/checkout/${first.id}`,
        url: first.providerCheckoutUrl,
      }
      await finish(provider, opened, 'accepts')
      const before = ordersAtProviders()
      const press = async () => {
        const answers = await Promise.all(
          Array.from({ length: 4 }, () =>
            fetch(`${opened.page}/continue`, { method: 'POST', redirect: 'manual' }),
          ),
        )
        for (const { headers } of answers) expect(headers.get('location')).toContain(opened.page)
      }
      await press()
      const again = await createSession(kassa.url, shop, { key, body })
      expect([again.status, again.body.id, again.body.providerCheckoutUrl]).toEqual([
        200,
        opened.id,
        undefined,
      ])
      await advance(2 * HOUR_MS)
      await press()
      expect([ordersAtProviders(), (await attempts(opened.id)).length]).toEqual([before, 1])
      // Nothing was withdrawn at the expiry.
      expect(scene.stripe.server.writes.filter(({ path }) => /expire|cancel|void/.test(path))).toEqual([])
    })

    test('refuses refunds, captures and voids, and says that the provider has not decided', async () => {
      const { id } = await openAndFinish(provider, 'accepts')
      for (const [what, body] of [
        ['refunds', { amountMinor: 100, reason: 'returned' }],
        ['capture', {}],
        ['void', { reason: 'returned' }],
      ] as const) {
        const { kassa, shop } = scene
        const refused = await askOperation(kassa.url, shop, id, what, { key: `${what}-${id}`, body })
        expect([refused.status, refused.body.error.code]).toEqual([409, 'payment_not_eligible'])
        expect(refused.body.error.message).toContain('has been working on this payment since')
      }
    })

    test('warns a buyer of another payment of the same order', async () => {
      const order = { merchantOrderId: `twice-${provider}` }
      await openAndFinish(provider, 'accepts', order)
      const second = await scene.open(provider, order)
      const { html } = await readPage(second.page)
      expect(html).toContain(translate('en', 'pages.orderUnknownTitle'))
      const before = ordersAtProviders()
      const pressed = await fetch(`${second.page}/continue`, { method: 'POST', redirect: 'manual' })
      expect([pressed.headers.get('location'), ordersAtProviders()]).toEqual([second.page, before])
    })
  })

  test('a link whose buyer has finished at PayPal says so past its expiry, and leads nowhere', async () => {
    const { kassa, shop } = scene
    const expiresAt = new Date(kassa.clock.now().getTime() + 2 * HOUR_MS).toISOString()
    const body = linkRequest({ providerRoute: 'route_b', expiresAt })
    const link = (await createLink(kassa.url, shop, { key: 'link', body })).body
    const page = `${kassa.url}/checkout/${link.payment.id}`
    const pressed = await fetch(`${page}/continue`, { method: 'POST', redirect: 'manual' })
    await finish(
      'paypal',
      { id: link.payment.id, page, url: pressed.headers.get('location') ?? '' },
      'accepts',
    )
    await expectAtWork(link.paymentUrl)
    await advance(3 * HOUR_MS)
    await expectAtWork(link.paymentUrl)
    expect((await attempts(link.payment.id)).length).toBe(1)
    await passDays(7)
    expect(await status(link.payment.id)).toBe('paid')
  })

  describe('a review at PayPal', () => {
    test.each([
      ['review_accepted', 'paid'],
      ['review_refused', 'failed'],
    ] as const)('%s: the payment is %s', async (fault, end) => {
      const opened = await scene.open('paypal')
      await finish('paypal', opened, 'accepts', fault)
      await passDays(0.75)
      expect(await status(opened.id)).toBe('pending_payment')
      await passDays(1)
      expect(await status(opened.id)).toBe(end)
    })

    test('that is refused before the expiry lets the buyer try again, and the second order is paid', async () => {
      const opened = await scene.open('paypal')
      await finish('paypal', opened, 'accepts', 'review_refused')
      for (const capture of scene.orderAt(opened).captures) capture.status = 'DECLINED'
      await advance(40_000)
      expect((await readPage(opened.page)).html).toContain(translate('en', 'pages.tryAgain'))
      const pressed = await fetch(`${opened.page}/continue`, { method: 'POST', redirect: 'manual' })
      await comeBack(await actAsBuyer(pressed.headers.get('location') ?? '', 'pay'))
      expect([await status(opened.id), (await attempts(opened.id)).length]).toEqual(['paid', 2])
    })

    test('of an order that was declined before: no second order is opened', async () => {
      const opened = await scene.open('paypal')
      await comeBack(await actAsBuyer(opened.url, 'decline'))
      expect((await payment(opened.id)).attempt.state).toBe('declined')
      await advance(40_000)
      await finish('paypal', opened, 'accepts', 'review_accepted')
      const before = ordersAtProviders()
      const pressed = await fetch(`${opened.page}/continue`, { method: 'POST', redirect: 'manual' })
      expect(pressed.headers.get('location')).toBe(opened.page)
      await expectAtWork(opened.page)
      expect([ordersAtProviders(), (await attempts(opened.id)).length]).toEqual([before, 1])
      await passDays(2)
      expect(await status(opened.id)).toBe('paid')
    })
  })

  test('the history of such a payment has two changes, and names why PayPal waited', async () => {
    scene.paypal.paypal.world.isFull = true
    const { id } = await openAndFinish('paypal', 'accepts')
    await passDays(7)
    const { merchantId } = await payment(id)
    const changes = await listPaymentChanges(scene.kassa.ctx.db, merchantId, id)
    expect(changes.map(({ toStatus }) => toStatus)).toEqual(['pending_redirect', 'pending_payment', 'paid'])
    expect(changes[1]?.detail).toBe('the buyer pays from a bank account, which takes days')
  })
}
