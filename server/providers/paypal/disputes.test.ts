/** Disputes at PayPal have amounts, and an inquiry is none. Its slow or failing disputes service stops no payment. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { openDispute } from '../../testing/providers/paypal/disputes.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const HOUR_MS = 3_600_000

const scene = closeAfter(await setPaypalScene())

/** Disputes at PayPal have amounts, and an inquiry is none. */
describe('a dispute', () => {
  beforeEach(() => {
    scene.server.paypal.world.isFull = true
  })

  test('a dispute about a part is lost for that part, and the rest can be refunded', async () => {
    const id = await scene.pay('dispute_part_lost')
    await scene.later(60_000)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'disputed', attempt: { disputedMinor: 950 } })
    expect((await scene.ask(id, 'refunds', { amountMinor: 951, reason: 'returned' })).status).toBe(409)
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
    await scene.ask(id, 'refunds', { amountMinor: 950, reason: 'returned' })
    await scene.later(2_000)
    expect(await scene.payment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  })

  test('the money of a lost dispute that PayPal lists among the refunds counts once', async () => {
    const id = await scene.pay('dispute_part_lost')
    await scene.later(60_000)
    await scene.deliver()
    await scene.later(25 * HOUR_MS)
    const [order] = await scene.orders(id)
    const [capture] = order?.captures ?? []
    const amount = { currency_code: 'USD' as const, value: '9.50' }
    if (capture)
      order?.refunds.push({
        id: 'RDISPUTE',
        captureId: capture.id,
        status: 'COMPLETED',
        amount,
        customId: undefined,
        createdAt: scene.kassa.clock.now(),
      })
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
  })

  test('a lost dispute takes no more than refunds have left', async () => {
    const id = await scene.pay('dispute_part_lost')
    await scene.ask(id, 'refunds', { amountMinor: 1500, reason: 'returned' })
    await scene.later(2_000)
    await scene.later(60_000)
    await scene.deliver()
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    const payment = await scene.payment(id)
    expect(payment).toMatchObject({ refundedMinor: 1900, attempt: { disputeLostMinor: 400 } })
    const entries = await listEntries(scene.kassa.ctx.db, payment)
    expect(entries.map(({ kind, amountMinor }) => `${kind} ${amountMinor}`)).not.toContainEqual(
      expect.stringContaining('over_returned'),
    )
  })

  test('several disputes of one payment are summed', async () => {
    const id = await scene.pay('dispute_part_lost')
    await scene.later(60_000)
    const [order] = await scene.orders(id)
    if (order) openDispute(scene.server.paypal.world, scene.server.account, order)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'disputed', attempt: { disputedMinor: 1900 } })
    await scene.later(26 * HOUR_MS)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'reversed', refundedMinor: 1900 })
  })

  test('a buyer who only asks has taken no money: the payment stays paid, and a full refund ends the case', async () => {
    const id = await scene.pay('inquiry')
    await scene.later(60_000)
    await scene.deliver()
    expect(await scene.status(id)).toBe('paid')
    const warnings = await listPaymentWarnings(scene.kassa.ctx.db, scene.shop.merchantId, id)
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('1900 minor units')])
    await scene.ask(id, 'refunds', { amountMinor: 500, reason: 'returned' })
    await scene.later(2_000)
    expect((await scene.operations(id)).at(-1)).toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining('no refund of a part'),
    })
    await scene.ask(id, 'refunds', { amountMinor: 1900, reason: 'returned' })
    await scene.later(2_000)
    expect(await scene.payment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  })

  test('of which PayPal names neither amount nor stage, it is about everything that was not returned', async () => {
    scene.server.paypal.world.isFull = false
    const id = await scene.pay('dispute_part_lost')
    await scene.ask(id, 'refunds', { amountMinor: 400, reason: 'returned' })
    await scene.later(2_000)
    await scene.later(60_000)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({
      status: 'disputed',
      refundedMinor: 400,
      attempt: { disputedMinor: 1500 },
    })
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'reversed', refundedMinor: 1900 })
  })

  test('a lost dispute stays lost while PayPal does not let the app read disputes any more', async () => {
    const id = await scene.pay('dispute_part_lost')
    await scene.later(60_000)
    await scene.deliver()
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
    scene.server.account.mayReadDisputes = false
    await scene.later(25 * HOUR_MS)
    await scene.later(25 * HOUR_MS)
    scene.server.account.mayReadDisputes = true
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
  })
})

/** A question can do without disputes: PayPal's slow or failing disputes service must not stop payments. */
describe('a disputes service that is slow or fails', () => {
  /** What a request about disputes may take here. The driver gives it some seconds. */
  const SHORT_MS = 50
  const LONG_MS = 60_000
  const isDisputes = (_method: string, path: string) => path.startsWith('/v1/customer/disputes')

  let limitMs = LONG_MS
  beforeAll(async () => {
    scene.server.paypal.world.isFull = false
    const { ctx } = scene.kassa
    const { providers } = ctx
    const open: typeof providers.open = (...given) => {
      const http = providers.open(...given)
      return {
        ...http,
        request: (given) => http.request(given.isOptional ? { ...given, timeoutMs: limitMs } : given),
      }
    }
    ctx.providers = { ...providers, open }
  })
  afterEach(() => answerAgain())

  const slowDown = (ms: number) => scene.proxy.slowDown({ ms, isMeant: isDisputes })
  /** From now on the disputes service answers nothing within the limit. */
  function hang(): void {
    limitMs = SHORT_MS
    slowDown(LONG_MS)
  }
  function answerAgain(): void {
    limitMs = LONG_MS
    scene.proxy.slowDown(null)
  }
  const factsOf = async (id: string) => (await scene.payment(id)).attempt.facts as Record<string, unknown>

  test('a payment is paid when the buyer returns, although the disputes service does not answer in time', async () => {
    hang()
    const { body } = await scene.open()
    expect(await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))).toContain('/thanks')
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('a refund that was made at PayPal is seen although the disputes service does not answer in time', async () => {
    const id = await scene.pay()
    await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
    await scene.later(2 * HOUR_MS)
    hang()
    await scene.ask(id, 'refunds', { amountMinor: 200, reason: 'returned' })
    await scene.later(1_000)
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 900 })
  })

  test('a lost dispute is seen although each request to the disputes service takes a while', async () => {
    const id = await scene.pay('dispute_lost')
    slowDown(150)
    scene.server.takeSent()
    await scene.later(60_000)
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    expect(await scene.status(id)).toBe('reversed')
  })

  test('a known dispute stays while the disputes service does not answer, and the callback about its end is not forgotten', async () => {
    scene.server.takeSent()
    const id = await scene.pay('dispute_lost')
    await scene.later(60_000)
    await scene.deliver()
    const { dispute } = await factsOf(id)
    expect([await scene.status(id), dispute]).toEqual(['disputed', expect.anything()])
    hang()
    await scene.later(25 * HOUR_MS)
    expect(new Set(await scene.deliver())).toEqual(new Set([200]))
    expect([await scene.status(id), (await factsOf(id)).dispute]).toEqual(['disputed', dispute])
    answerAgain()
    await scene.later(60_000)
    expect(await scene.status(id)).toBe('reversed')
    hang()
    await scene.later(25 * HOUR_MS)
    await scene.later(25 * HOUR_MS)
    expect(await scene.status(id)).toBe('reversed')
  })
})
