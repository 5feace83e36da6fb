/**
 * Which call may try an account that its provider refuses. All its payments, refunds and saved methods would meet the same refusal.
 * Rule: one request at a time finds out whether the refusal is over. The others stay as they are, and are tried by their schedule.
 */

import { QUESTION_PAUSE_MIN_MS, recallHealth } from '../../accounts/health.ts'
import type { Context } from '../../context.ts'
import type { GateLane } from '../../providers/http.ts'
import { claimAccountTry } from '../../storage/accounts/health.ts'

type Source = Pick<Context, 'accounts' | 'clock' | 'db'>

export const NOT_YET =
  'the payment provider refuses this account, and whether it still does is tried with another request'

/** The work that nobody waits for, or that the schedule repeats. */
const REPEATED: readonly GateLane[] = ['money', 'schedule']

/**
 * Returns true if this request may be sent. A question needs a turn only if the provider does not accept the credentials: an account that
 * may not take money can still be asked about.
 */
export async function takeTurn(
  ctx: Source,
  accountId: string,
  { lane, isQuestion = false }: { lane: GateLane; isQuestion?: boolean },
): Promise<boolean> {
  if (!REPEATED.includes(lane)) return true
  await ctx.accounts.read()
  const { state, refusal } = recallHealth(ctx, accountId)
  if (state !== 'refusing' || (isQuestion && refusal !== 'credentials')) return true
  const now = ctx.clock.now()
  const unlessSince = new Date(now.getTime() - QUESTION_PAUSE_MIN_MS)
  return claimAccountTry(ctx.db, accountId, { now, unlessSince })
}
