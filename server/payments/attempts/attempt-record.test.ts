/** The stored state of an attempt: it never stays in a state without an end, and never differs from its payment. */
import { beforeEach, expect, test } from 'vitest'
import type { Driver } from '../../providers/driver.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation, call, createLink, createSession, sessionRequest } from '../../testing/calls.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const

const { kassa, shop } = await openScene()
const { ctx } = kassa
let ledger: Ledger
let orders = 0
beforeEach(() => {
  ledger = openLedger(ctx, { status: 'pending_payment' })
})

/** `start`: what the bank does when an order is to be opened. */
type Start = (go: () => Promise<unknown>) => Promise<unknown>

function failOpening(start: Start): void {
  const given = ctx.routes.route_a.driver?.startCheckout as NonNullable<Driver['startCheckout']>
  const startCheckout: typeof given = (...args) => start(() => given(...args)) as ReturnType<typeof given>
  changeDriver(ctx, 'route_a', { startCheckout })
}

async function open(start?: Start): Promise<AttemptedPayment> {
  if (start) failOpening(start)
  const merchantOrderId = `order-${++orders}`
  await createSession(kassa.url, shop, { key: merchantOrderId, body: sessionRequest({ merchantOrderId }) })
  const { rows } = await ctx.db.query<{ id: string }>(
    'select id from sandbox.payments where merchant_order_id = $1',
    [merchantOrderId],
  )
  return (await findPaymentById(ctx.db, rows[0]?.id ?? '')) as AttemptedPayment
}

const attempt = async (payment: AttemptedPayment) => (await listAttempts(ctx.db, payment))[0] as Attempt
const callBack = (reference: string) =>
  call(`${kassa.url}/callbacks/${ctx.routes.route_a.id}`, { body: reference })

async function pass(minutes: number): Promise<void> {
  kassa.clock.advance(minutes * MINUTE_MS)
  for (let round = 0; round < 2; round++)
    for (const name of ['statusSync', 'settledSync'] as const) await SWEEPS[name](ctx)
}

const lost = async () => {
  throw new Error('the connection was reset')
}

test('an order that never reached the bank ends half an hour after its payment, and is not asked about any more', async () => {
  const { paymentId: id } = (await createLink(kassa.url, shop, { key: 'link' })).body
  failOpening(lost)
  await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
  const payment = (await findPaymentById(ctx.db, id)) as AttemptedPayment
  expect((await attempt(payment)).state).toBe('opening')
  kassa.clock.advance(payment.expiresAt.getTime() - kassa.clock.now().getTime())
  await pass(1)
  expect([(await findPaymentById(ctx.db, id))?.status, (await attempt(payment)).state]).toEqual([
    'expired',
    'opening',
  ])
  await pass(31)
  expect(await attempt(payment)).toMatchObject({ state: 'expired', questionDueAt: null })
})

test('an order that the bank opened and whose answer was lost counts as open after the expiry, and is asked about', async () => {
  const payment = await open(async (go) => go().then(lost))
  await pass(91)
  await pass(31)
  expect(await attempt(payment)).toMatchObject({ state: 'open', questionDueAt: expect.any(Date) })
})

test('an order that the bank refused is stored as refused', async () => {
  const payment = await open(async () => ({ kind: 'refused', message: 'the bank says no' }))
  expect([payment.status, (await attempt(payment)).state]).toEqual(['created', 'refused'])
})

test('a process that dies while it stores an answer stores it of the payment and of the attempt, or of neither', async () => {
  const payment = await open()
  const { db } = ctx
  ctx.db = interruptedDb(db, 'record_attempt', lost)
  ledger.move(payment.attempt.reference, PAID)
  await callBack(payment.attempt.reference)
  ctx.db = db
  const stored = await findPaymentById(db, payment.id)
  expect([stored?.status, (await attempt(payment)).state]).toEqual(['pending_redirect', 'open'])
  await callBack(payment.attempt.reference)
  expect([(await findPaymentById(db, payment.id))?.status, (await attempt(payment)).state]).toEqual([
    'paid',
    'paid',
  ])
})

/** Opens a payment that is paid, and asks for a refund of a part of it. */
async function openRefunding(): Promise<AttemptedPayment> {
  const payment = await open()
  ledger.move(payment.attempt.reference, PAID)
  await callBack(payment.attempt.reference)
  const request = { key: `refund-${payment.id}`, body: { amountMinor: 700, reason: 'returned' } }
  await askOperation(kassa.url, shop, payment.id, 'refunds', request)
  return payment
}
async function expectRefunded(payment: AttemptedPayment): Promise<void> {
  expect(await findPaymentById(ctx.db, payment.id)).toMatchObject({ refundedMinor: 700 })
  expect(await attempt(payment)).toMatchObject({ capturedMinor: 1900, refundedMinor: 700 })
}

test('a refund of ours stands in the sums of the attempt at once', async () => {
  const payment = await openRefunding()
  await SWEEPS.moneyOperations(ctx)
  await expectRefunded(payment)
})

test('an answer that was on its way during a refund does not overwrite the sums of the attempt', async () => {
  const payment = await openRefunding()
  ledger.duringLookUp = async () => {
    ledger.duringLookUp = async () => {}
    await SWEEPS.moneyOperations(ctx)
  }
  await callBack(payment.attempt.reference)
  await expectRefunded(payment)
})
