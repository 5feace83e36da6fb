/** Whether a refund, a capture or a void may be sent in the provider's current state of the order. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findReturnObstacle } from '../attempts/duplicate-payment.ts'
import { statusOf } from '../derived-status.ts'
import { findMismatch } from '../entries/fit.ts'
import { type MoneyRow, refundableMinor } from '../operation.ts'
import { isOwn } from '../own-attempt.ts'
import { providerCall } from '../provider-call.ts'

/** An operation that is worked on. `payment`: with the attempt whose money the operation moves. `account`: of that attempt. */
export type Work = { operation: OperationRecord; payment: AttemptedPayment; account: Account; row: MoneyRow }

/** Returns why the write must not be sent now; null if it may be sent. */
export function findObstacle(
  ctx: Context,
  { operation: { type, cause, amountMinor }, payment, account, row }: Work,
  snapshot: Snapshot,
): string | null {
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) return mismatch
  if (!amountMinor) return 'the operation has no amount'
  const obstacle =
    cause === 'service'
      ? findReturnObstacle(account, payment, { type: row.method, snapshot })
      : findStatusObstacle(payment, row)
  if (obstacle) return obstacle
  const status = statusOf(snapshot)
  if (!row.from.includes(status)) return `the provider says ${status}`
  const left = refundableMinor(snapshot)
  if (type === 'refund' && amountMinor > left)
    return `at the provider only ${left} minor units are left to refund`
  const { reference, providerState: state, begunAt } = payment.attempt
  const order = { reference, state, begunAt, snapshot }
  return account.driver.eligible?.(providerCall(ctx, account), row.method, order) ?? null
}

function findStatusObstacle(payment: AttemptedPayment, { from }: MoneyRow): string | null {
  if (!isOwn(payment)) return "another attempt has the payment's money now"
  return from.includes(payment.status) ? null : `the payment is ${payment.status}`
}
