/** What a shop took, gave back and lost on each of its last days. The cost has a bound, however much the shop sells. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { statement } from '../db.ts'
import { isInDays, MOMENT } from './money-days.ts'
import { netOf } from './totals.ts'

/** Sums in minor units, as decimal text, because a sum may exceed 2^53. `entries`: how many were added up. */
export type ShopDayRecord = {
  /** In the zone of the shop, such as `2026-08-01`. */
  day: string
  currency: CurrencyCode
  takenMinor: string
  givenBackMinor: string
  lostMinor: string
  entries: number
}

/** `from` and `until`: days, `until` not included. It reads the newest `daysMax` entries of that time. */
export const sumShopDays = statement<ShopDayRecord>(
  'sum_shop_days',
  `select to_char(e.day, 'YYYY-MM-DD') as day, e.currency,
     ${netOf('taken', 'taken_back')} as "takenMinor",
     ${netOf('refunded', 'refund_failed')} as "givenBackMinor",
     ${netOf('dispute_lost', 'dispute_regained')} as "lostMinor",
     count(*)::int as entries
   from (
     select e.kind, e.amount_minor, e.currency, (${MOMENT} at time zone $4)::date as day from world.entries e
     where e.merchant_id = $1 and ${isInDays('$2', '$3', '$4')} order by ${MOMENT} desc limit $5
   ) e
   group by 1, 2 order by 1, 2`,
).all(
  (
    { merchantId, timeZone }: { merchantId: string; timeZone: string },
    from: string,
    until: string,
    daysMax: number,
  ) => [merchantId, from, until, timeZone, daysMax],
)
