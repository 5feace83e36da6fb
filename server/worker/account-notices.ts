/**
 * Tells the operator by mail when the health of an account changes.
 * Rule: the change is marked as told in the transaction that stores the mail, so of many workers one tells it, and a crash loses none.
 */
import type { DirectoryEntry } from '../accounts/directory.ts'
import { adviceOn } from '../accounts/health.ts'
import type { Context } from '../context.ts'
import { NO_MERCHANT, newId, oldestId } from '../id.ts'
import { type HealthRecord, isHealthUnnoticed, markHealthNoticed } from '../storage/accounts/health.ts'
import { inTransaction } from '../storage/db.ts'
import { type AccountNotice, countMailsSince, insertNotice } from '../storage/mails/mails.ts'

/** A shorter change is not told. */
export const NOTICE_AFTER_MS = 90_000
/** When one account has changed for that long, the mail also has the others that have changed for less. */
const NOTICE_TOGETHER_MS = 60_000
const HOUR_MS = 3_600_000
/** Further changes go together into the first mail of the next hour. */
export const NOTICES_AN_HOUR = 6

export async function noticeAccounts(ctx: Context): Promise<void> {
  const { smtpServer, operatorEmail } = ctx.config
  const now = ctx.clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  if (!smtpServer || !operatorEmail || !(await isHealthUnnoticed(ctx.db, before(NOTICE_AFTER_MS)))) return
  const { byId } = await ctx.accounts.read()
  await inTransaction(ctx.db, async (tx) => {
    const since = oldestId(ctx.world, 'mal', before(HOUR_MS))
    const about = { merchantId: NO_MERCHANT, kind: 'account_health', id: since } as const
    if ((await countMailsSince(tx, about)) >= NOTICES_AN_HOUR) return
    const changed = await markHealthNoticed(tx, before(NOTICE_TOGETHER_MS))
    const accounts = changed.flatMap((health) => {
      const entry = byId.get(health.accountId)
      return entry ? [describe(health, entry)] : []
    })
    if (accounts.length === 0) return
    const id = newId(ctx.world, 'mal', NO_MERCHANT, now)
    const notice = { merchantId: NO_MERCHANT, id, kind: 'account_health', notice: { accounts } } as const
    await insertNotice(tx, { ...notice, createdAt: now })
  })
}

function describe(health: HealthRecord, { record, account }: DirectoryEntry): AccountNotice {
  const { accountId, state, reason, since, unwellSince } = health
  return {
    accountId,
    route: record.route,
    provider: account?.driver.label ?? record.driver,
    owner: record.owner,
    state,
    reason,
    since: since.toISOString(),
    unwellSince: (unwellSince ?? since).toISOString(),
    advice: adviceOn(health),
  }
}
