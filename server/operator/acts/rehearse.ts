import { openDirectory } from '../../accounts/directory.ts'
import type { Context } from '../../context.ts'
import { rehearsed } from '../../storage/rehearsal.ts'

/**
 * Does the act, or says what it would do: the same code with the same checks, of which nothing stays. The accounts are read by the
 * rehearsal's own transaction, so that its answer has what it has changed.
 * @throws AppError those of `act`
 */
export async function doOrRehearse<T>(
  ctx: Context,
  { dryRun }: { dryRun: boolean },
  act: (ctx: Context) => Promise<T>,
): Promise<T> {
  if (!dryRun) return act(ctx)
  const log = ctx.log.child({}, { level: 'silent' })
  return rehearsed(ctx.db, (db) => act({ ...ctx, db, log, accounts: openDirectory(db, ctx.vault) }))
}
