/** What remains of proposals that nobody has decided in time. */
import { type Context, systemClock } from '../../context.ts'
import { emptyExpiredProposals } from '../../storage/audit/proposals.ts'
import { GRANT_LEASE_MS } from './grantable.ts'

const BATCH = 200

/** Removes the values of proposals that expired. Whoever granted one just before that has read them by now. */
export async function dropExpiredValues(ctx: Context): Promise<void> {
  const before = new Date(systemClock.now().getTime() - GRANT_LEASE_MS)
  await emptyExpiredProposals(ctx.db, before, BATCH)
}
