/** Operations for an operator: one page of operations, one operation with its history, and how they are shown. */
import type { Context } from '../context.ts'
import type { OperationStatus } from '../contract/operation.ts'
import { AppError } from '../errors.ts'
import { writeNameOf } from '../payments/named-refund.ts'
import { isMoneyOperation, presentOperation } from '../payments/operation.ts'
import { listOperationChanges, type OperationChangeRecord } from '../storage/payments/operation-changes.ts'
import { findOperationById, listOperations, type OperationRecord } from '../storage/payments/operations.ts'
import { findPayment } from '../storage/payments/payments.ts'

export type { OperationChangeRecord, OperationRecord }

/** `paymentVersion`: the version of its payment, which a decision about the operation refers to; null if it has no payment. */
export type OperationHistory = {
  operation: OperationRecord
  paymentVersion: number | null
  changes: OperationChangeRecord[]
}

/** @throws AppError not_found */
export async function getOperationHistory(ctx: Context, id: string): Promise<OperationHistory> {
  const operation = await getOperation(ctx, id)
  const { merchantId, paymentId } = operation
  const payment = paymentId === null ? null : await findPayment(ctx.db, merchantId, paymentId)
  const changes = await listOperationChanges(ctx.db, merchantId, id)
  return { operation, paymentVersion: payment?.version ?? null, changes }
}

type Filter = {
  merchantId?: string | undefined
  paymentId?: string | undefined
  status?: OperationStatus | undefined
  after?: string | undefined
  limit: number
}

/**
 * Newest first. `after`: the last id of the previous page. `next`: the `after` of the next page; null on the last page.
 * @throws AppError not_found for an unknown `after`
 */
export async function listOperationPage(
  ctx: Context,
  { limit, ...filter }: Filter,
): Promise<{ operations: OperationRecord[]; next: string | null }> {
  if (filter.after !== undefined) await getOperation(ctx, filter.after, filter.merchantId)
  // One extra operation tells whether another page follows.
  const found = await listOperations(ctx.db, { ...filter, limit: limit + 1 })
  const operations = found.slice(0, limit)
  return { operations, next: found.length > limit ? (operations.at(-1)?.id ?? null) : null }
}

async function getOperation(ctx: Context, id: string, merchantId?: string): Promise<OperationRecord> {
  const operation = await findOperationById(ctx.db, id)
  if (operation && (merchantId === undefined || operation.merchantId === merchantId)) return operation
  throw new AppError('not_found', {
    message: `There is no operation ${id}.`,
    next: [{ act: 'list_operations' }],
  })
}

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
    /** What the provider's records call it. */
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
