/** All pairs of statuses, tried in the ways in which the world outside can try them: a provider's callback, and operations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, call } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type Ledger, openLedger } from '../testing/ledger-bank.ts'
import { moneyIn, placePayment } from '../testing/placed-payment.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { canMove } from './status.ts'

let kassa: Kassa
let shop: Shop
let ledger: Ledger
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
})
afterAll(() => kassa.close())

/** Where the payment stands, and how many lines and events it has. */
async function traces(id: string) {
  const { db } = kassa.ctx
  const payment = await findPaymentById(db, id)
  const lines = await listPaymentChanges(db, shop.merchantId, id)
  const events = await listPaymentEvents(db, shop.merchantId, id)
  return { status: payment?.status, lines: lines.length, events: events.length }
}

/** A provider cannot take back that a checkout was opened. */
const UNSAYABLE: readonly PaymentStatus[] = ['created', 'pending_redirect']

test('by callback, exactly the 169 pairs of the table that a provider can mean move; others change and send nothing', async () => {
  const moved: string[] = []
  const expected: string[] = []
  for (const from of PAYMENT_STATUSES)
    for (const to of PAYMENT_STATUSES) {
      const { id } = await placePayment(kassa, shop, { status: from, order: `${from}-${to}` })
      const before = await traces(id)
      const reference = id.slice('pay_'.length)
      ledger.move(reference, { status: to, ...moneyIn(to) })
      const answer = await call(`${kassa.url}/callbacks/route_a`, { body: reference })
      expect(answer.status).toBe(200)
      const after = await traces(id)
      if (after.status !== from) moved.push(`${from} ${to}`)
      if (from !== to && canMove(from, to, 'provider') && !UNSAYABLE.includes(to))
        expected.push(`${from} ${to}`)
      const isMoved = after.status === to && from !== to
      expect([from, to, after]).toEqual([
        from,
        to,
        isMoved ? { status: to, lines: before.lines + 1, events: before.events + 1 } : before,
      ])
    }
  expect(moved).toEqual(expected)
}, 120_000)

test('by operation, exactly the statuses that the operation table names let it through; others are refused and change nothing', async () => {
  const through: string[] = []
  for (const [what, body] of [
    ['refunds', { amountMinor: 100, reason: 'r' }],
    ['capture', {}],
    ['void', { reason: 'r' }],
  ] as const)
    for (const from of PAYMENT_STATUSES) {
      const { id } = await placePayment(kassa, shop, { status: from, order: `${what}-${from}` })
      ledger.move(id.slice('pay_'.length), { status: from, ...moneyIn(from) })
      const before = await traces(id)
      const answer = await askOperation(kassa.url, shop, id, what, { key: `${what}-${from}`, body })
      await SWEEPS.moneyOperations(kassa.ctx)
      const after = await traces(id)
      if (answer.status === 201) through.push(`${from} ${what} ${after.status}`)
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
  expect(through).toEqual([
    'paid refunds partially_refunded',
    'partially_refunded refunds partially_refunded',
    'authorized capture paid',
    'authorized void reversed',
    'paid void reversed',
  ])
}, 60_000)
