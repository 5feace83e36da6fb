/**
 * The money of a shop's days, as movements. Rule: a movement belongs to the day on which the money moved, in the shop's time zone.
 * `storage/reports/money-days.ts` has the one condition for it, and the totals read the same one.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import type { EntryKind } from '../storage/payments/entries.ts'
import {
  listMovementsOfTime,
  type MovementPosition,
  type MovementRange,
  type MovementRecord,
} from '../storage/reports/money-days.ts'
import { sumShopDays, sumToday } from '../storage/reports/totals.ts'
import { dayAfter } from './totals.ts'

export type { MovementRecord } from '../storage/reports/money-days.ts'
export { listMovementsOfPayments } from '../storage/reports/money-days.ts'

export type TimeRange = { since: Date; until: Date }

/** Before the first entry and after the last one. */
export const EVER: TimeRange = { since: new Date('2000-01-01T00:00Z'), until: new Date('9000-01-01T00:00Z') }

/** What a movement does to the money that a shop keeps. Other movements change nothing of it, such as a hold or an opened dispute. */
export const KEPT: Partial<Record<EntryKind, 1 | -1>> = {
  taken: 1,
  taken_back: -1,
  refunded: -1,
  refund_failed: 1,
  dispute_lost: -1,
  dispute_regained: 1,
}

const PAGE = 200

/** Yields the movements that change what a shop keeps, page by page, the first one first. */
export async function* movementsOf(ctx: Context, range: MovementRange): AsyncGenerator<MovementRecord[]> {
  for (let after: MovementPosition | null = null; ; ) {
    const page: MovementRecord[] = await listMovementsOfTime(ctx.db, range, after, PAGE)
    const kept = page.filter(({ kind }) => KEPT[kind])
    if (kept.length > 0) yield kept
    if (page.length < PAGE) return
    after = page.at(-1) ?? null
  }
}

/** The money of one day in one currency. Sums in minor units. */
export type DayMoney = Record<'taken' | 'givenBack' | 'lost', bigint> & { currency: CurrencyCode }

type Sums = { takenMinor: string; givenBackMinor: string; lostMinor: string; currency: CurrencyCode }
const moneyOf = ({ currency, takenMinor, givenBackMinor, lostMinor }: Sums): DayMoney => ({
  currency,
  taken: BigInt(takenMinor),
  givenBack: BigInt(givenBackMinor),
  lost: BigInt(lostMinor),
})

/** Returns the money of the day that it is in each shop, added up. `merchantId`: null for all shops. */
export async function moneyOfToday(ctx: Context, merchantId: string | null): Promise<DayMoney[]> {
  return (await sumToday(ctx.db, ctx.clock.now(), TIME_ZONE, merchantId)).map(moneyOf)
}

/** No more entries are added up for the days of a shop. */
const ENTRIES_MAX = 50_000

/** `day`: such as 2026-08-02. A day without money has no row. */
export type MoneyOfDay = DayMoney & { day: string }

/**
 * Returns the money of a shop's last days, today included, and their names, the first one first. Null where the shop has too many
 * movements for it: a part of a day would be a wrong sum.
 */
export async function moneyOfLastDays(
  ctx: Context,
  shop: { merchantId: string; timeZone: string },
  count: number,
  { most = ENTRIES_MAX } = {},
): Promise<{ days: string[]; sums: MoneyOfDay[] } | null> {
  const today = dayIn(shop.timeZone, ctx.clock.now())
  const days = Array.from({ length: count }, (_, at) => dayAfter(today, at + 1 - count))
  const found = await sumShopDays(ctx.db, shop, days[0] ?? today, dayAfter(today, 1), most)
  const read = found.reduce((sum, { entries }) => sum + entries, 0)
  if (read === most) return null
  return { days, sums: found.map((each) => ({ day: each.day, ...moneyOf(each) })) }
}

/** The day that it is in the zone, such as 2026-08-02. */
const dayIn = (zone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(at)
