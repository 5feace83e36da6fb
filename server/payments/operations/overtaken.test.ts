/** The state of a payment that was read before its provider was asked is out of date once another attempt is the payment's own. */
import { expect, test } from 'vitest'
import { inTransaction } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { openScene } from '../../testing/scene.ts'
import { recordForOtherAttemptIn } from '../attempts/answer.ts'
import { isOvertaken } from './verdict.ts'

const { kassa, pay } = await openScene()

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
      recordForOtherAttemptIn(kassa.ctx, tx, payment, { report: null, target, outside: null }),
    )
  for (const stale of [
    { ...seen, ownAttempt: seen.ownAttempt + 1 },
    { ...seen, version: seen.version + 1 },
    { ...seen, attempt: { ...seen.attempt, refundedMinor: 500 } },
  ])
    expect(await enter(stale)).toBe('moved')
  expect(await listEntries(kassa.ctx.db, seen)).toEqual(before)
})
