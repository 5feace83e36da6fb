/** One reading or withdrawal of an account's statements at a time, in all processes: two at once would take out each other's lines. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { inTransaction } from '../storage/db.ts'
import { lockStatements } from '../storage/reports/files.ts'

/** @throws AppError validation_failed while another one is under way */
export function inTurn<Result>(
  ctx: Context,
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return inTransaction(ctx.db, async (tx) => {
    if (await lockStatements(tx, accountId)) return work()
    throw new AppError('validation_failed', {
      reason: 'statement_busy',
      message: `Another statement of ${accountId} is being read or withdrawn. Run it again when that has ended.`,
    })
  })
}
