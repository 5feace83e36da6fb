import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { listAccounts } from '../storage/accounts/accounts.ts'

/** @throws AppError not_found. Returns the merchant whose account it is; null for the deployment's own. */
export async function expectAccount(ctx: Context, accountId: string): Promise<string | null> {
  const found = (await listAccounts(ctx.db)).find(({ id }) => id === accountId)
  if (found) return found.owner
  throw new AppError('not_found', { message: `There is no provider account ${accountId}.` })
}
