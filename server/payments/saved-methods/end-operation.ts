/** The end of an operation of a saved method, and its line in the log. */
import type { Context } from '../../context.ts'
import { inTransaction } from '../../storage/db.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import { applyOperationIn } from '../operation-change.ts'

type End = { to: 'succeeded' } | { to: 'requires_operator_review'; why: string }

/** `message`: the text of the line. */
export async function endOperation(
  ctx: Context,
  operation: OperationRecord,
  { message, ...end }: End & { message: string },
): Promise<void> {
  const detail = 'why' in end ? end.why : null
  const change = { to: end.to, cause: 'provider', dueAt: null, ...(detail !== null && { detail }) } as const
  await inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, operation, change))
  const { id: operationId, tokenId } = operation
  ctx.log[detail === null ? 'info' : 'warn']({ operationId, tokenId, detail }, message)
}
