/**
 * A provider tells us that something has happened to a saved method: the buyer has saved it, or it was removed or replaced at the
 * provider.
 * Rule: the callback itself proves nothing. Only what the provider answers when it is asked changes the saved method.
 */
import type { Context } from '../../context.ts'
import type { InboundEvent, InboundVerdict } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import {
  findSavedMethodByReference,
  listSavedMethodsByState,
  type SavedMethodRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { askReportedSavedMethod } from './question.ts'

type Hint = Extract<InboundEvent, { kind: 'hint' }>

/** How many saved methods one callback can name. A buyer may save the same wallet several times. */
const REPORTED_MAX = 20

/**
 * Asks the provider about each saved method of this account that the hint names. Returns `refused` if it names none, and
 * `not_stored` if the provider should send the callback again.
 */
export async function takeMethodHint(ctx: Context, account: Account, hint: Hint): Promise<InboundVerdict> {
  const reported = await listReported(ctx, account, hint)
  if (reported.length === 0) return 'refused'
  const verdicts = await Promise.all(reported.map((method) => askReportedSavedMethod(ctx, method)))
  return verdicts.every(Boolean) ? 'accepted' : 'not_stored'
}

async function listReported(
  ctx: Context,
  { id: accountId }: Account,
  { reference, savedMethod = {} }: Hint,
): Promise<SavedMethodRecord[]> {
  const known = await findSavedMethodByReference(ctx.db, accountId, reference)
  if (known) return [known]
  // Every state contains an empty one.
  if (Object.keys(savedMethod).length === 0) return []
  return listSavedMethodsByState(ctx.db, accountId, savedMethod, REPORTED_MAX)
}
