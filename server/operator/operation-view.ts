/** An operation as an operator sees it. */
import { writeNameOf } from '../payments/named-refund.ts'
import { isMoneyOperation, presentOperation } from '../payments/operation.ts'
import type { OperationChangeRecord, OperationRecord } from './operation-history.ts'

/**
 * The contract's view with the fields that only an operator sees. `cause`: `service` for a return of the service itself. `attempt`: the
 * attempt whose money it moves. `before`: the provider's state before the request.
 */
export function presentOperationRecord(record: OperationRecord) {
  const { merchantId, cause, paymentId, attempt, tokenId, subscriptionId, reason, metadata } = record
  const { before, sentAt, dueAt, attempts } = record
  return {
    ...presentOperation(record),
    merchantId,
    cause,
    paymentId,
    attempt,
    tokenId,
    subscriptionId,
    reason,
    metadata,
    before,
    sentAt,
    dueAt,
    attempts,
    /** What the provider's books call it. */
    nameAtProvider: isMoneyOperation(record.type) ? writeNameOf(record).key : null,
  }
}

export function presentOperationChange(change: OperationChangeRecord) {
  const { fromStatus, toStatus, cause, actor, detail, createdAt } = change
  return { from: fromStatus, to: toStatus, cause, actor, detail, createdAt }
}

/** What an operation does. A return of second money is none of the merchant's. */
export function operationType({ type, cause, attempt }: OperationRecord): string {
  return cause === 'service' ? `${type} of attempt ${attempt}, by the service` : type
}
