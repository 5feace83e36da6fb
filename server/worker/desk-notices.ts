/**
 * Tells the operator by mail of new cases that wait for a person.
 * Rule: the time until which the cases are told moves in the transaction that stores the mail, so of many workers one tells a case, and
 * a crash loses none.
 */
import type { Context } from '../context.ts'
import { NO_MERCHANT, newId, oldestId } from '../id.ts'
import { inTransaction } from '../storage/db.ts'
import { type CaseKind, type CaseRecord, listCases } from '../storage/desk/cases.ts'
import { findDeskNoticedUntil, lockDeskNoticedUntil, moveDeskNoticedUntil } from '../storage/desk/noticed.ts'
import { countMailsSince, insertNotice } from '../storage/mails/mails.ts'

/** Cases of this time go into one mail. */
export const GATHER_MS = 60_000
/** A transaction that is older may still commit a case. */
const GRACE_MS = 5_000
const HOUR_MS = 3_600_000
export const DESK_NOTICES_AN_HOUR = 6
const PAGE = 500
const PAGES_MAX = 10
const LISTED_MAX = 20
/**
 * Accounts have notices of their own, and the proposer of an act tells the second person. Events that were given up count from the time
 * at which they were written, days before.
 */
const WITHOUT_NOTICE: readonly CaseKind[] = ['account', 'approval', 'events_given_up']

export async function noticeDesk(ctx: Context): Promise<void> {
  const { smtpServer, operatorEmail } = ctx.config
  if (!smtpServer || !operatorEmail) return
  const now = ctx.clock.now()
  const noticedUntil = await findDeskNoticedUntil(ctx.db)
  const until = new Date(now.getTime() - GRACE_MS)
  if (until.getTime() - noticedUntil.getTime() < GATHER_MS) return
  const cases = await listNew(ctx, { noticedUntil, until })
  await inTransaction(ctx.db, async (tx) => {
    // Somebody else has told them.
    if ((await lockDeskNoticedUntil(tx))?.getTime() !== noticedUntil.getTime()) return
    if (cases.length > 0) {
      const lastHour = oldestId(ctx.world, 'mal', new Date(now.getTime() - HOUR_MS))
      const about = { merchantId: NO_MERCHANT, kind: 'desk_cases', id: lastHour } as const
      if ((await countMailsSince(tx, about)) >= DESK_NOTICES_AN_HOUR) return
      const id = newId(ctx.world, 'mal', NO_MERCHANT, now)
      const notice = { cases: cases.slice(0, LISTED_MAX).map(describe), count: cases.length }
      await insertNotice(tx, { merchantId: NO_MERCHANT, id, kind: 'desk_cases', notice, createdAt: now })
    }
    await moveDeskNoticedUntil(tx, until)
  })
}

/** The desk is sorted by days, so only the days since the last notice are read. */
async function listNew(
  ctx: Context,
  { noticedUntil, until }: { noticedUntil: Date; until: Date },
): Promise<CaseRecord[]> {
  const found: CaseRecord[] = []
  let after = noticedUntil.toISOString().slice(0, 10).replaceAll('-', '')
  for (let page = 0; page < PAGES_MAX; page++) {
    const about = { after, merchantId: null, kind: null, limit: PAGE, now: ctx.clock.now() }
    const { rows, next } = await listCases(ctx.db, about)
    found.push(
      ...rows.filter(
        ({ kind, since }) => !WITHOUT_NOTICE.includes(kind) && since > noticedUntil && since <= until,
      ),
    )
    if (next === null) break
    after = next
  }
  return found
}

/** Without what happened in words, because a person may be named in them. */
const describe = ({ kind, subject, merchantName, paymentId, amountMinor, currency, since }: CaseRecord) => ({
  kind,
  subject,
  merchantName,
  paymentId,
  amountMinor,
  currency,
  since: since.toISOString(),
})
