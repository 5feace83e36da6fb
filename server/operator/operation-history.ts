/** Operations as an operator looks at them: a page of them, and one with what has happened to it. */
import type { Context } from '../context.ts'
import type { OperationStatus } from '../contract/operation.ts'
import { AppError } from '../errors.ts'
import { listOperationChanges, type OperationChangeRecord } from '../storage/payments/operation-changes.ts'
import { findOperationById, listOperations, type OperationRecord } from '../storage/payments/operations.ts'

export type { OperationChangeRecord, OperationRecord }

/** @throws AppError not_found */
export async function getOperationHistory(
  ctx: Context,
  id: string,
): Promise<{ operation: OperationRecord; changes: OperationChangeRecord[] }> {
  const operation = await getOperation(ctx, id)
  return { operation, changes: await listOperationChanges(ctx.db, operation.merchantId, id) }
}

type Asked = {
  merchantId?: string | undefined
  paymentId?: string | undefined
  status?: OperationStatus | undefined
  after?: string | undefined
  limit: number
}

/** Newest first. `after`: the last id of the page before; `next`: the one to go on with, null on the last page. @throws AppError not_found */
export async function listOperationPage(
  ctx: Context,
  { limit, ...asked }: Asked,
): Promise<{ operations: OperationRecord[]; next: string | null }> {
  if (asked.after !== undefined) await getOperation(ctx, asked.after)
  // One more than asked for tells whether a page follows.
  const found = await listOperations(ctx.db, { ...asked, limit: limit + 1 })
  const operations = found.slice(0, limit)
  return { operations, next: found.length > limit ? (operations.at(-1)?.id ?? null) : null }
}

async function getOperation(ctx: Context, id: string): Promise<OperationRecord> {
  const operation = await findOperationById(ctx.db, id)
  if (operation) return operation
  throw new AppError('not_found', {
    message: `There is no operation ${id}.`,
    next: [{ act: 'list_operations' }],
  })
}
