/** Callbacks of PayPal: lost, forged, and at the moment at which the buyer returns. */
import { beforeEach, describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { lookUp, readPage } from '../../testing/calls.ts'
import { CERT_PATH } from '../../testing/providers/paypal/events.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer, addWebhook } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { modeStatedBy } from './settings.ts'

const scene = closeAfter(await setPaypalScene())

/** An account at PayPal whose webhook works, until it does not: what is lost is found by questions. */
describe('an account whose webhook works, until it does not', () => {
  const MINUTE_MS = 60_000

  async function seenAt(): Promise<number | null> {
    const { rows } = await scene.kassa.ctx.db.query(
      'select callback_seen_at as at from sandbox.accounts where id = $1',
      [scene.accountId],
    )
    return rows[0]?.at?.getTime() ?? null
  }

  /** A payment whose callback arrives. */
  async function payWithCallback(): Promise<void> {
    await scene.pay()
    expect(new Set(await scene.deliver())).toEqual(new Set([200]))
  }
  beforeEach(payWithCallback)

  test('a callback about an order of ours is noted with the account, at most once an hour, and a forged one never', async () => {
    const first = await seenAt()
    expect(first).not.toBeNull()
    await scene.later(50 * MINUTE_MS)
    await payWithCallback()
    expect(await seenAt()).toBe(first)
    await scene.later(20 * MINUTE_MS)
    await scene.pay()
    const sent = scene.server.takeSent()
    const forged = sent.map((each) => ({ ...each, body: each.body.replace('USD', 'EUR') }))
    expect(new Set(await scene.deliver(forged))).toEqual(new Set([403]))
    expect(await seenAt()).toBe(first)
    await scene.deliver(sent)
    expect(await seenAt()).toBeGreaterThan(first ?? 0)
  })

  /** The buyer approves after `afterMs`, and PayPal's callbacks about it are lost. */
  async function approveUnheard(afterMs: number): Promise<{ id: string; endsInMs: number }> {
    const { body } = await scene.open()
    await scene.later(12_000)
    await scene.later(afterMs - 12_000)
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.server.takeSent()
    const { expiresAt } = await scene.payment(body.id)
    return { id: body.id, endsInMs: expiresAt.getTime() - scene.kassa.clock.now().getTime() }
  }

  test('an approval whose callback is lost is captured at the expiry', async () => {
    const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
    await scene.later(endsInMs - MINUTE_MS)
    expect(await scene.status(id)).toBe('pending_redirect')
    await scene.later(MINUTE_MS)
    expect(await scene.status(id)).toBe('paid')
    await scene.expectReconciled(id)
  })

  test('an approval that is first seen up to 30 minutes after the expiry is captured', async () => {
    const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
    await scene.later(endsInMs + 29 * MINUTE_MS)
    expect(await scene.status(id)).toBe('paid')
    await scene.expectReconciled(id)
  })

  test('an approval that is first seen later than that takes no money, and neither does one after the payment has ended', async () => {
    const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
    await scene.later(endsInMs + 31 * MINUTE_MS)
    expect(await scene.status(id)).toBe('expired')
    const { body } = await scene.open()
    await scene.later(91 * MINUTE_MS)
    expect(await scene.status(body.id)).toBe('expired')
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    await scene.deliver()
    await scene.later(10 * MINUTE_MS)
    for (const payment of [id, body.id]) {
      expect(await scene.status(payment)).toBe('expired')
      await scene.expectReconciled(payment)
    }
  })
})

/** A buyer who returns while PayPal's webhook is still being handled reads the result, and not the state of before. */
describe('a buyer who returns while the webhook is being handled', () => {
  const CAPTURE_MS = 400

  /** The buyer approves, and the webhook begins to take the money. Resolves when PayPal has been asked to take it. */
  async function approveAndCallBack() {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const { promise: isTaking, resolve } = Promise.withResolvers<void>()
    scene.proxy.slowDown({
      ms: CAPTURE_MS,
      isMeant(_, path) {
        if (path.endsWith('/capture')) resolve()
        return path.endsWith('/capture')
      },
    })
    const delivered = scene.deliver()
    await isTaking
    return { id: body.id, checkoutUrl: body.checkoutUrl, back, delivered }
  }

  const look = async (id: string) => (await lookUp(scene.kassa.url, scene.shop, id)).body

  test('the return goes on to the shop', async () => {
    const { id, back, delivered } = await approveAndCallBack()
    expect(await scene.comeBack(back)).toContain(`paymentId=${id}`)
    expect(await delivered).toEqual([200])
    await scene.expectReconciled(id)
  })

  test('a second return at once goes on too', async () => {
    const { id, back, delivered } = await approveAndCallBack()
    const places = await Promise.all([scene.comeBack(back), scene.comeBack(back), scene.comeBack(back)])
    expect(places).toEqual(Array(3).fill(expect.stringContaining(`paymentId=${id}`)))
    await delivered
    await scene.expectReconciled(id)
  })

  test('a look-up, the page and the link page show that it is paid', async () => {
    const { id, checkoutUrl, delivered } = await approveAndCallBack()
    const [looked, page] = await Promise.all([look(id), readPage(checkoutUrl)])
    expect(looked.status).toBe('paid')
    expect(page.html).toContain('data-status="paid"')
    await delivered
  })

  test('another payment does not wait', async () => {
    const { id, back, delivered } = await approveAndCallBack()
    const other = await scene.open()
    expect((await look(other.body.id)).status).toBe('pending_redirect')
    expect(await scene.comeBack(back)).toContain(`paymentId=${id}`)
    await delivered
  })
})

const LIVE = 'https://api.paypal.com'

const writes = async (id: string) =>
  (await scene.orders(id)).map(({ status, captures, refunds }) => [status, captures.length, refunds.length])

describe('a callback', () => {
  test('that is forged, foreign or of another time changes nothing', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    // The same event for another webhook, signed by PayPal as well.
    addWebhook(scene.server, 'https://elsewhere.example/hook', 'WEBHOOKELSEWHERE')
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.server.account.webhooks.delete('WEBHOOKELSEWHERE')
    const [genuine, foreign] = scene.server.takeSent()
    if (!genuine || !foreign) throw new Error('PayPal sent too little')
    const { headers } = genuine
    const forgeries = [
      { ...foreign, url: genuine.url },
      { ...genuine, body: genuine.body.replace('"19.00"', '"1.00"') },
      { ...genuine, body: `${genuine.body} ` },
      { ...genuine, headers: { 'content-type': 'application/json' } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-time': '2020-01-01T00:00:00Z' } },
      { ...genuine, headers: { ...headers, 'paypal-cert-url': `https://evil.example${CERT_PATH}` } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-sig': 'bm90LXNpZ25lZA==' } },
    ]
    expect(await scene.deliver(forgeries)).toEqual(forgeries.map(() => 403))
    expect(await scene.status(body.id)).toBe('pending_redirect')
    // The genuine one brings the money, and its replays bring nothing more.
    expect(await scene.deliver([genuine, genuine, genuine])).toEqual([200, 200, 200])
    expect(await scene.status(body.id)).toBe('paid')
    expect(await writes(body.id)).toEqual([['COMPLETED', 1, 0]])
  })

  test('of an earlier moment, sent after the refund, leaves the payment refunded', async () => {
    scene.server.takeSent()
    const id = await scene.pay()
    const earlier = scene.server.takeSent()
    await scene.ask(id, 'refunds', { amountMinor: 1_900, reason: 'returned' })
    await scene.later()
    expect(await scene.status(id)).toBe('refunded')
    await scene.deliver([...earlier].reverse())
    expect(await scene.status(id)).toBe('refunded')
    expect(await writes(id)).toEqual([['COMPLETED', 1, 1]])
  })

  test('while PayPal cannot be asked is not accepted, so that PayPal sends it again', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    scene.proxy.spoilNext('lost', (_, path) => path.includes('verify-webhook-signature'))
    expect(await scene.deliver(sent)).toEqual([503])
    expect(await scene.deliver(sent)).toEqual([200])
    expect(await scene.status(body.id)).toBe('paid')
  })
})

describe('an answer about real money', () => {
  test('pays nothing, and the payment gets a warning', async () => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    // The order's own address is that of PayPal's live API.
    scene.proxy.rewrite((text) =>
      text.replace(
        /"href":"http:[^"]*(\/v2\/checkout\/orders\/\w+)","rel":"self"/,
        `"href":"${LIVE}$1","rel":"self"`,
      ),
    )
    await scene.comeBack(back)
    await scene.later(60_000)
    scene.proxy.rewrite(null)
    expect([await scene.status(body.id), await writes(body.id)]).toEqual([
      'pending_redirect',
      [['APPROVED', 0, 0]],
    ])
    const { db } = scene.kassa.ctx
    const warnings = await listPaymentWarnings(db, scene.shop.merchantId, body.id)
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('this test account with an object of live mode'),
    ])
    await scene.aWhileLater()
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('with a webhook that is signed for real money is rejected', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    const live = sent.map((each) => ({
      ...each,
      headers: { ...each.headers, 'paypal-cert-url': `${LIVE}${CERT_PATH}` },
    }))
    expect([await scene.deliver(live), await scene.status(body.id)]).toEqual([[403], 'pending_redirect'])
  })

  test.each([
    [`${LIVE}/v2/checkout/orders/1`, 'live'],
    ['https://www.paypal.com/checkoutnow?token=1', 'live'],
    ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT', 'test'],
    ['https://www.sandbox.paypal.com/checkoutnow?token=1', 'test'],
    ['https://developer.paypal.com/docs/api/orders/v2/', null],
    ['https://api.paypal.com.evil.example/', null],
    ['http://127.0.0.1:1/', null],
    ['rubbish', null],
  ])('is told by the address %s: %s', (url, mode) => {
    expect(modeStatedBy(url)).toBe(mode)
  })
})
