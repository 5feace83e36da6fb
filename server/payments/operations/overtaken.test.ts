/** What was seen of a payment before its provider was asked does not count any more once another attempt is the payment's own. */
import { afterAll, expect, test } from 'vitest'
import { findAccount } from '../../accounts/choice.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { enterBesideIn } from '../attempts/answer.ts'
import { OPERATION_TABLE } from '../operation.ts'
import { findObstacle } from './obstacle.ts'
import { isOvertaken } from './verdict.ts'

const kassa = await startKassa()
const shop = await openShop(kassa.ctx)
afterAll(() => kassa.close())

let orders = 0
async function pay(): Promise<AttemptedPayment> {
  openLedger(kassa.ctx)
  const key = `own-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await lookUp(kassa.url, shop, session.id)
  return (await findPaymentById(kassa.ctx.db, session.id)) as AttemptedPayment
}

test('an answer is not applied, and nothing is entered, if the own attempt, the version or the sums have changed', async () => {
  const seen = await pay()
  expect(isOvertaken(seen, seen)).toBe(false)
  expect(isOvertaken(seen, { ...seen, ownAttempt: seen.ownAttempt + 1 })).toBe(true)
  expect(isOvertaken(seen, { ...seen, version: seen.version + 1 })).toBe(true)
  const other = { ...seen, ownAttempt: seen.ownAttempt + 1 }
  const more = { ...other, attempt: { ...other.attempt, refundedMinor: 500 } }
  expect([isOvertaken(other, other), isOvertaken(other, more)]).toEqual([false, true])

  const before = await listEntries(kassa.ctx.db, seen)
  const target = { ...seen.attempt, disputedMinor: 1900 }
  const enter = (payment: AttemptedPayment) =>
    inTransaction(kassa.ctx.db, (tx) =>
      enterBesideIn(kassa.ctx, tx, payment, { said: null, target, outside: null }),
    )
  for (const stale of [
    { ...seen, ownAttempt: seen.ownAttempt + 1 },
    { ...seen, version: seen.version + 1 },
    { ...seen, attempt: { ...seen.attempt, refundedMinor: 500 } },
  ])
    expect(await enter(stale)).toBe('moved')
  expect(await listEntries(kassa.ctx.db, seen)).toEqual(before)
})

test('a refund of an attempt is not sent while another attempt has the payment’s money', async () => {
  const payment = await pay()
  await askOperation(kassa.url, shop, payment.id, 'refunds', {
    key: 'refund',
    body: { amountMinor: 500, reason: 'r' },
  })
  const [operation] = await listPaymentOperations(kassa.ctx.db, shop.merchantId, payment.id)
  const account = await findAccount(kassa.ctx, payment.attempt.accountId)
  if (!operation || !account) throw new Error('there is nothing to work on')
  const snapshot: Snapshot = {
    order: 'completed',
    reference: payment.attempt.reference,
    amountMinor: 1900,
    currency: payment.currency,
    authorizedMinor: 1900,
    capturedMinor: 1900,
    refundedMinor: 0,
  }
  const obstacleOf = (given: AttemptedPayment) =>
    findObstacle(kassa.ctx, { operation, payment: given, account, row: OPERATION_TABLE.refund }, snapshot)
  expect(obstacleOf(payment)).toBeNull()
  const other = { ...payment, ownAttempt: payment.ownAttempt + 1 }
  expect(obstacleOf(other)).toBe("another attempt has the payment's money now")
})
