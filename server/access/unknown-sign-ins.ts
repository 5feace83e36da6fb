/**
 * The trace of sign-ins for e-mail addresses that nobody has: a row for each day and network, and a line of the log.
 * Rule: what was typed is never stored, because people type their password into the wrong field. Its keyed digest tells whether two
 * tries were of the same address.
 */
import { createHmac } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import { noteUnknownSignIn } from '../storage/access/unknown-sign-ins.ts'
import { inTransaction } from '../storage/db.ts'

const SUBJECT_CHARS = 8
/** The limits of log lines, for each network and for all of them. */
const OF_NETWORK = { perSecond: 1 / 600, burst: 3 }
const OF_ALL = { perSecond: 1 / 10, burst: 30 }

export async function noteUnknown(
  ctx: Context,
  { email, network }: { email: string; network: string },
): Promise<void> {
  const subject = createHmac('sha256', ctx.vault.derive('unknown-sign-ins'))
    .update(email.trim().toLowerCase())
    .digest('base64url')
    .slice(0, SUBJECT_CHARS)
  await inTransaction(ctx.db, (tx) => noteUnknownSignIn(tx, { network, subject, at: systemClock.now() }))
  const { waitMs } = await ctx.buckets.take(`sign_in_log ${network}`, OF_NETWORK)
  if (waitMs > 0 || (await ctx.buckets.take('sign_in_log', OF_ALL)).waitMs > 0) return
  ctx.log.warn({ network, subject }, 'a password was tried for an e-mail address that nobody has')
}
