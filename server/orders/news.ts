/**
 * Makes the mails that tell owners of their orders: one for each piece of news, up to a number an hour. Further news goes into one mail
 * together.
 * Rule: news is marked as sent in the transaction that stores its mail, so only one worker sends it, and a crash loses none.
 */
import type { Context } from '../context.ts'
import { dayOf, momentOf } from '../contract/time-zone.ts'
import { newId, oldestId } from '../id.ts'
import { zoneOf } from '../merchants/branding.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { countMailsSince, insertNotice } from '../storage/mails/mails.ts'
import type { OrderBook } from '../storage/orders/books.ts'
import {
  gatherOrderCases,
  listMerchantsWithNews,
  listNews,
  listUnsentCases,
  lockOrderBook,
  markCasesSent,
  markNewsSent,
  type UnsentCase,
  type UnsentNews,
} from '../storage/orders/cases.ts'

/** Older news is not sent: the mails were off meanwhile. */
const NEWS_MAX_AGE_MS = 3 * 86_400_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The last mail of an hour has all news so far. Later news waits for the next hour. */
export const OWNER_MAILS_AN_HOUR = 20
const TOGETHER_MAX = 10_000
/** How many pieces a mail lists. It says how many more there are. */
export const LISTED_MAX = 50
/** Many outcomes are known a moment later. Only cases that are still undecided then are sent. */
export const CASE_STANDS_MS = 5 * 60_000
const CASES_AT_ONCE = 1_000
/** When a daily mail is written, by the shop's clock. */
const EVENING_HOUR = 19

export async function notifyOwners(ctx: Context): Promise<void> {
  const { smtpServer } = ctx.config
  if (!smtpServer) return
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - NEWS_MAX_AGE_MS)
  const until = new Date(now.getTime() - CASE_STANDS_MS)
  await gatherOrderCases(ctx.db, { since, until, now, limit: CASES_AT_ONCE })
  // One shop that cannot be told does not stop the others.
  for (const merchantId of await listMerchantsWithNews(ctx.db, since))
    await notifyOwner(ctx, merchantId, since).catch((error: unknown) =>
      ctx.log.error(
        { err: error, merchantId },
        'the owner of a shop was not told of orders; it is tried again',
      ),
    )
}

async function notifyOwner(ctx: Context, merchantId: string, since: Date): Promise<void> {
  const now = ctx.clock.now()
  const zone = await zoneOf(ctx, merchantId)
  await inTransaction(ctx.db, async (tx) => {
    const orderBook = await lockOrderBook(tx, merchantId)
    if (!orderBook || orderBook.email === null) return
    const until = orderBook.told === 'daily' ? lastEvening(now, zone) : new Date(now.getTime() + DAY_MS)
    const lastHour = oldestId(ctx.world, 'mal', new Date(now.getTime() - HOUR_MS))
    const about = { merchantId, kind: 'order_news', id: lastHour } as const
    const left = OWNER_MAILS_AN_HOUR - (await countMailsSince(tx, about))
    if (left <= 0) return
    const wanted = { merchantId, since, until, limit: TOGETHER_MAX }
    const news = [...(await listUnsentCases(tx, wanted)), ...(await listNews(tx, wanted))]
    for (const pieces of mailsFor(orderBook, news, left)) await store(ctx, tx, { merchantId, pieces, now })
  })
}

type NewsItem = UnsentNews | UnsentCase
const isCase = (piece: NewsItem): piece is UnsentCase => 'subject' in piece
const isNews = (piece: NewsItem): piece is UnsentNews => !isCase(piece)

/** Returns the news of each mail. */
function mailsFor({ told }: Pick<OrderBook, 'told'>, news: NewsItem[], left: number): NewsItem[][] {
  if (news.length === 0) return []
  if (told === 'daily') return [news]
  const singles = news.length <= left ? news : news.slice(0, left - 1)
  const rest = news.slice(singles.length)
  return [...singles.map((each) => [each]), ...(rest.length > 0 ? [rest] : [])]
}

async function store(
  ctx: Context,
  tx: Tx,
  { merchantId, pieces, now }: { merchantId: string; pieces: NewsItem[]; now: Date },
): Promise<void> {
  const id = newId(ctx.world, 'mal', merchantId, now)
  const cases = pieces.filter(isCase)
  const news = pieces.filter(isNews)
  // The mail finds its cases by its id.
  const notice = { changes: news.slice(0, Math.max(0, LISTED_MAX - cases.length)), count: pieces.length }
  await insertNotice(tx, { merchantId, id, kind: 'order_news', notice, createdAt: now })
  await markNewsSent(tx, { merchantId, mailId: id, news })
  await markCasesSent(tx, { merchantId, mailId: id, cases })
}

/** The last time that it was evening in the shop. Its mail has the news from before it. */
function lastEvening(now: Date, zone: string): Date {
  const today = dayOf(now, zone)
  const evening = momentOf(today + EVENING_HOUR * HOUR_MS, zone)
  return evening <= now ? evening : momentOf(today - DAY_MS + EVENING_HOUR * HOUR_MS, zone)
}
