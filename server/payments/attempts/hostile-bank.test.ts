/** A bank that is away at the wrong time, answers late, or is paid after our time has passed. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Driver } from '../../providers/driver.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createSession, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from './question.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const
const DISPUTED = { dispute: { amountMinor: 1900 } }
/** Taken back, and the dispute is over. */
const VOIDED = { order: 'voided', dispute: undefined } as const

let shop: Shop
let ledger: Ledger
const kassa = await openKassa()
beforeEach(async () => {
  // The payments of earlier tests are not asked about. Their questions would run the `whileAsked` of a later test.
  await kassa.ctx.db.query('update sandbox.attempts set question_due_at = null')
  shop = await openShop(kassa.ctx)
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
})

let orders = 0
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
const statusOf = async (id: string) => (await find(id)).status
const timeline = async (id: string) =>
  (await listPaymentChanges(kassa.ctx.db, shop.merchantId, id)).map(({ toStatus }) => toStatus)
const callback = (reference: string) =>
  call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: reference })

const change = (changes: Partial<Driver>) => changeDriver(kassa.ctx, 'route_a', changes)

async function open(): Promise<AttemptedPayment> {
  const order = `order-${++orders}`
  const { body } = await createSession(kassa.url, shop, {
    key: order,
    body: sessionRequest({ merchantOrderId: order }),
  })
  return find(body.id)
}

/** So much later, in steps, everything that falls due on the way is done. */
async function pass(ms: number, stepMs = 5 * MINUTE_MS): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    kassa.clock.advance(stepMs)
    await SWEEPS.statusSync(kassa.ctx)
    await SWEEPS.statusSync(kassa.ctx)
    await SWEEPS.settledSync(kassa.ctx)
  }
}
const untilExpiry = ({ expiresAt }: AttemptedPayment) => expiresAt.getTime() - kassa.clock.now().getTime()

describe('a bank that is away (M2)', () => {
  test('for 46 minutes around the expiry is asked until it says that the buyer has paid', async () => {
    const payment = await open()
    await pass(untilExpiry(payment) - 6 * MINUTE_MS)
    ledger.away = true
    ledger.move(payment.attempt.reference, PAID)
    await pass(46 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('pending_payment')
    ledger.away = false
    await pass(2 * HOUR_MS, 10 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('for days makes the payment unknown, and is still asked', async () => {
    const payment = await open()
    ledger.away = true
    await pass(30 * HOUR_MS, HOUR_MS)
    expect(await statusOf(payment.id)).toBe('status_unknown')
    ledger.away = false
    ledger.move(payment.attempt.reference, PAID)
    await pass(2 * DAY_MS, 6 * HOUR_MS)
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('while an order is opened, and back after the payment’s expiry, opens no order: the payment expires', async () => {
    const start = kassa.ctx.routes.route_a.driver?.startCheckout
    let starts = 0
    change({
      async startCheckout(...given) {
        starts++
        if (ledger.away) throw new Error('the connection was refused')
        if (!start) throw new Error('Bug! The bank opens orders.')
        return start(...given)
      },
    })
    ledger.away = true
    const body = sessionRequest({ merchantOrderId: 'lost' })
    expect((await createSession(kassa.url, shop, { key: 'lost', body })).status).toBe(503)
    const before = starts
    await pass(3 * HOUR_MS, 15 * MINUTE_MS)
    ledger.away = false
    await pass(3 * HOUR_MS, 15 * MINUTE_MS)
    const again = await createSession(kassa.url, shop, { key: 'lost', body })
    expect([starts - before, again.status, again.body.status]).toEqual([0, 200, 'expired'])
    expect(ledger.orders.size).toBe(0)
  })
})

describe('a callback (M3)', () => {
  test('that comes while the bank cannot be asked is followed up until the bank can', async () => {
    const payment = await open()
    ledger.move(payment.attempt.reference, PAID)
    await callback(payment.attempt.reference)
    expect(await statusOf(payment.id)).toBe('paid')
    ledger.away = true
    ledger.move(payment.attempt.reference, DISPUTED)
    expect((await callback(payment.attempt.reference)).status).toBe(200)
    await pass(HOUR_MS)
    ledger.away = false
    await pass(2 * HOUR_MS, 10 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('disputed')
  })

  test('that comes during a question is not forgotten with it', async () => {
    const payment = await open()
    ledger.move(payment.attempt.reference, PAID)
    await callback(payment.attempt.reference)
    ledger.move(payment.attempt.reference, DISPUTED)
    await askAboutPayment(kassa.ctx, await find(payment.id))
    let questions = 0
    ledger.duringLookUp = async () => {
      if (++questions > 1) return
      ledger.move(payment.attempt.reference, VOIDED)
      ledger.away = true
      await callback(payment.attempt.reference)
      ledger.away = false
    }
    await pass(DAY_MS + HOUR_MS, DAY_MS + HOUR_MS)
    expect([questions > 1, await statusOf(payment.id)]).toEqual([true, 'reversed'])
  })
})

test('an answer that is late changes nothing: the provider is asked again (M4)', async () => {
  const payment = await open()
  ledger.move(payment.attempt.reference, PAID)
  await callback(payment.attempt.reference)
  ledger.move(payment.attempt.reference, { order: 'completed', refundedMinor: 500 })
  let questions = 0
  ledger.duringLookUp = async () => {
    if (++questions > 1) return
    ledger.move(payment.attempt.reference, { refundedMinor: 1000 })
    await callback(payment.attempt.reference)
  }
  await callback(payment.attempt.reference)
  expect((await find(payment.id)).refundedMinor).toBe(1000)
  expect(await timeline(payment.id)).toEqual(['pending_redirect', 'paid', 'partially_refunded'])
})

test('a checkout that is opened after a sweep has seen its order keeps its address (M10)', async () => {
  const start = kassa.ctx.routes.route_a.driver?.startCheckout
  change({
    async startCheckout(call, attempt) {
      if (!start) throw new Error('Bug! The bank opens orders.')
      const opened = await start(call, attempt)
      const { rows } = await kassa.ctx.db.query('select id from sandbox.payments where merchant_id = $1', [
        shop.merchantId,
      ])
      await askAboutPayment(kassa.ctx, await find(rows[0]?.id))
      return opened
    },
  })
  const answer = await createSession(kassa.url, shop, { key: 'seen' })
  expect(answer).toMatchObject({ status: 201, body: { status: 'pending_redirect' } })
  const again = await createSession(kassa.url, shop, { key: 'seen' })
  for (const { body } of [answer, again])
    expect(body.providerCheckoutUrl).toMatch(/^https:\/\/bank.example\//)
})

describe('an order that outlives its payment (M17)', () => {
  const withoutCallbacks = () => change({ inbound: undefined } as object)

  test('and is paid days later at a bank that is only polled is found within a day', async () => {
    withoutCallbacks()
    const payment = await open()
    ledger.move(payment.attempt.reference, { order: 'waiting' })
    await pass(untilExpiry(payment) + HOUR_MS, 15 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('expired')
    await pass(20 * DAY_MS, 12 * HOUR_MS)
    ledger.move(payment.attempt.reference, PAID)
    await pass(DAY_MS + HOUR_MS, HOUR_MS)
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('does not expire while the buyer is identifying himself, and is paid without having expired', async () => {
    const payment = await open()
    await pass(untilExpiry(payment) + 10 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('pending_payment')
    ledger.move(payment.attempt.reference, PAID)
    await pass(30 * MINUTE_MS)
    expect(await timeline(payment.id)).not.toContain('expired')
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('is paid and refunded at a bank without callbacks, which is seen within a day', async () => {
    withoutCallbacks()
    const payment = await open()
    ledger.move(payment.attempt.reference, PAID)
    await pass(10 * MINUTE_MS)
    expect(await statusOf(payment.id)).toBe('paid')
    await pass(40 * DAY_MS, DAY_MS)
    ledger.move(payment.attempt.reference, { order: 'completed', refundedMinor: 1900 })
    await pass(2 * DAY_MS, DAY_MS)
    expect(await statusOf(payment.id)).toBe('refunded')
  })
})
