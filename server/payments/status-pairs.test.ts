/** Tries all pairs of statuses from outside: through a provider's callback and through operations. */
import { beforeAll, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import { referenceOf } from '../id.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, call } from '../testing/calls.ts'
import { moneyIn, placePayment, reportOf } from '../testing/payments/placed-payment.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { canExpire, canMove, isOpen } from './status.ts'

const { kassa, shop } = await openScene()
let ledger: Ledger
beforeAll(async () => {
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
})

/** Returns the payment's status, and how many timeline lines and events it has. */
async function readState(id: string) {
  const { db } = kassa.ctx
  const payment = await findPaymentById(db, id)
  const lines = await listPaymentChanges(db, shop.merchantId, id)
  const events = await listPaymentEvents(db, shop.merchantId, id)
  return { status: payment?.status, lines: lines.length, events: events.length }
}

/** A provider can never report these statuses, because it cannot undo the opening of a checkout. */
const NOT_REPORTABLE: readonly PaymentStatus[] = ['created', 'pending_redirect']

test('of the 169 pairs, a callback makes exactly the status changes that the table allows, or two of them; others change and send nothing', async () => {
  const moved: string[] = []
  const expected: string[] = []
  for (const from of PAYMENT_STATUSES)
    for (const to of PAYMENT_STATUSES) {
      const { id } = await placePayment(kassa, shop, { status: from, order: `${from}-${to}` })
      const before = await readState(id)
      const reference = referenceOf(id)
      ledger.move(reference, reportOf(to))
      const answer = await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: reference })
      expect(answer.status).toBe(200)
      const after = await readState(id)
      // A decline, or the bank's own time-out, ends the attempt. The payment can be tried again until it expires.
      const endsAttempt = isOpen(from) && (to === 'failed' || to === 'expired')
      const becomes = endsAttempt ? 'pending_payment' : to
      if (after.status !== from) moved.push(`${from} ${to}`)
      // The money of an open payment moved on before anybody asked. Both are sent: the taking, and what came after it.
      const isDirect = canMove(from, becomes, 'provider')
      const isLearnedLate = !isDirect && canExpire(from) && (moneyIn(to).capturedMinor ?? 0) > 0
      if (from !== becomes && (isDirect || isLearnedLate) && !NOT_REPORTABLE.includes(to))
        expected.push(`${from} ${to}`)
      const isMoved = after.status === becomes && from !== becomes
      const steps = isLearnedLate ? 2 : 1
      expect([from, to, after]).toEqual([
        from,
        to,
        isMoved ? { status: becomes, lines: before.lines + steps, events: before.events + steps } : before,
      ])
    }
  expect(moved).toEqual(expected)
}, 120_000)

test('an operation is accepted in exactly the statuses of the operation table; else it is rejected and changes nothing', async () => {
  const accepted: string[] = []
  for (const [what, body] of [
    ['refunds', { amountMinor: 100, reason: 'r' }],
    ['capture', {}],
    ['void', { reason: 'r' }],
  ] as const)
    for (const from of PAYMENT_STATUSES) {
      const { id } = await placePayment(kassa, shop, { status: from, order: `${what}-${from}` })
      ledger.move(referenceOf(id), reportOf(from))
      const before = await readState(id)
      const answer = await askOperation(kassa.url, shop, id, what, { key: `${what}-${from}`, body })
      await SWEEPS.moneyOperations(kassa.ctx)
      const after = await readState(id)
      if (answer.status === 201) accepted.push(`${from} ${what} ${after.status}`)
      else {
        expect([from, what, answer.status, answer.body.error.code]).toEqual([
          from,
          what,
          409,
          'payment_not_eligible',
        ])
        expect(after).toEqual(before)
      }
    }
  expect(accepted).toEqual([
    'paid refunds partially_refunded',
    'partially_refunded refunds partially_refunded',
    'authorized capture paid',
    'authorized void reversed',
    'paid void reversed',
  ])
})
