/**
 * What was taken, given back and lost, by day or month. Every number is a sum of entries.
 * Rule: an entry counts on the day on which its money moved, in the merchant's time zone: by the provider's time where it states one,
 * else by ours. So a late report of a provider changes the totals of a past day.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { findMerchant, listMerchants } from '../storage/merchants/merchants.ts'
import {
  type OpenMoneyRecord,
  sumOpenMoney,
  sumTotals,
  type TotalsFilter,
  type TotalsRecord,
} from '../storage/reports/totals.ts'

export type Period = 'day' | 'month'

/** Sums in minor units. A sum may exceed 2^53. */
export type Totals = {
  merchantId: string
  accountId: string
  currency: CurrencyCode
  timeZone: string
  /** `2026-08-02`, or the month `2026-08`. */
  period: string
  /** Money taken, less money that was taken by mistake and returned at once. */
  taken: bigint
  /** Money of refunds, less refunds that failed after all. */
  givenBack: bigint
  /** Money lost in disputes, less money regained. */
  lost: bigint
  /** Money of new disputes, less money of decided disputes. May be negative. */
  disputed: bigint
  held: bigint
  released: bigint
  /** Money that belongs to no payment yet. May be negative, when money of an earlier period was matched with its payment. */
  unmatched: bigint
  /** Money returned beyond what the payment had taken. */
  overReturned: bigint
  /** The fees of attempts whose money was first taken in the period, as far as they are known. */
  fees: bigint
  /** How many attempts had their money first taken in the period. */
  takenAttempts: number
  /** Those of them whose fee is known. */
  takenAttemptsWithFee: number
  entries: number
}
export type OpenMoney = Pick<Totals, 'merchantId' | 'accountId' | 'currency'> & {
  held: bigint
  /** The money of payments on which the provider is still working. */
  underWay: bigint
  disputed: bigint
}

/** One statement reads at most this many days of this many merchants, so that it stays within its time limit: a million entries. */
const DAYS_AT_ONCE = 7
const MERCHANTS_AT_ONCE = 100
const DAYS_MAX = 3_700
const SUMS = [
  'taken',
  'givenBack',
  'lost',
  'disputed',
  'held',
  'released',
  'unmatched',
  'overReturned',
  'fees',
] as const
const COUNTS = ['takenAttempts', 'takenAttemptsWithFee', 'entries'] as const
const DAY_MS = 86_400_000

/**
 * Both days are included. By month, the range becomes whole months. `open`: what is held, under way and disputed now.
 * @throws AppError validation_failed for a range of too many days, or one that ends before it begins
 */
export async function getTotals(
  ctx: Context,
  { by, since, until, ...filter }: TotalsFilter & { by: Period; since: string; until: string },
): Promise<{ since: string; until: string; totals: Totals[]; open: OpenMoney[] }> {
  const first = by === 'month' ? `${since.slice(0, 7)}-01` : since
  const end = by === 'month' ? nextMonth(until) : dayAfter(until, 1)
  expectRange(first, end)
  const merchantIds = await merchantsOf(ctx, filter.merchantId)
  const found = new Map<string, Totals>()
  for (const range of rangesOf(first, end))
    for (let at = 0; at < merchantIds.length; at += MERCHANTS_AT_ONCE) {
      const some = merchantIds.slice(at, at + MERCHANTS_AT_ONCE)
      const wanted = { ...range, by, timeZone: TIME_ZONE, merchantIds: some }
      for (const record of await sumTotals(ctx.db, wanted, filter)) addTo(found, totalsOf(record, by))
    }
  const open = await sumOpenMoney(ctx.db, filter)
  return {
    since: first,
    until: dayAfter(end, -1),
    totals: [...found.values()],
    open: open.map(openOf),
  }
}

async function merchantsOf(ctx: Context, merchantId: string | undefined): Promise<string[]> {
  if (merchantId === undefined) return (await listMerchants(ctx.db)).map(({ id }) => id)
  if (!(await findMerchant(ctx.db, merchantId)))
    throw new AppError('not_found', { message: `There is no merchant ${merchantId}.` })
  return [merchantId]
}

/** Adds up shops and accounts, which are empty in the result. Without `isByPeriod` the periods too. */
export function addUp(totals: readonly Totals[], { isByPeriod }: { isByPeriod: boolean }): Totals[] {
  const found = new Map<string, Totals>()
  for (const each of totals)
    addTo(found, { ...each, merchantId: '', accountId: '', period: isByPeriod ? each.period : '' })
  return [...found.values()]
}

/** Adds to the totals of the same shop, account, currency and period: a month consists of several ranges. */
function addTo(found: Map<string, Totals>, more: Totals): void {
  const key = [more.merchantId, more.accountId, more.currency, more.period].join(' ')
  const before = found.get(key)
  if (!before) return void found.set(key, more)
  for (const name of SUMS) before[name] += more[name]
  for (const name of COUNTS) before[name] += more[name]
}

/** Ranges that follow each other, each within one month. */
function rangesOf(from: string, end: string): { from: string; until: string }[] {
  const ranges: { from: string; until: string }[] = []
  for (let at = from; at < end; ) {
    const [until = end] = [dayAfter(at, DAYS_AT_ONCE), nextMonth(at), end].sort()
    ranges.push({ from: at, until })
    at = until
  }
  return ranges
}

function expectRange(first: string, end: string): void {
  const days = (Date.parse(end) - Date.parse(first)) / DAY_MS
  if (days < 1)
    throw new AppError('validation_failed', { message: 'The last day is before the first day. Swap them.' })
  if (days > DAYS_MAX)
    throw new AppError('validation_failed', {
      message: `A report covers at most ${DAYS_MAX} days. Give days that are closer together.`,
    })
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

function nextMonth(day: string): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10)
}

function totalsOf(record: TotalsRecord, by: Period): Totals {
  const { merchantId, accountId, currency, timeZone, period, entries } = record
  return {
    merchantId,
    accountId,
    currency,
    timeZone,
    period: by === 'month' ? period.slice(0, 7) : period,
    taken: BigInt(record.takenMinor),
    givenBack: BigInt(record.givenBackMinor),
    lost: BigInt(record.lostMinor),
    disputed: BigInt(record.disputedMinor),
    held: BigInt(record.heldMinor),
    released: BigInt(record.releasedMinor),
    unmatched: BigInt(record.unmatchedMinor),
    overReturned: BigInt(record.overReturnedMinor),
    fees: BigInt(record.feeMinor),
    takenAttempts: record.takenAttempts,
    takenAttemptsWithFee: record.takenAttemptsWithFee,
    entries,
  }
}

function openOf({ heldMinor, underWayMinor, disputedMinor, ...rest }: OpenMoneyRecord): OpenMoney {
  return {
    ...rest,
    held: BigInt(heldMinor),
    underWay: BigInt(underWayMinor),
    disputed: BigInt(disputedMinor),
  }
}
