/** Sums of the entries of a time. The cost follows the entries of that time and the number of merchants, not the size of the ledger. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { statement } from '../db.ts'
import { isInDays, MOMENT } from './money-days.ts'

/** Sums in minor units, as decimal text, because a sum may exceed 2^53. */
export type TotalsRecord = {
  merchantId: string
  accountId: string
  currency: CurrencyCode
  timeZone: string
  /** The first day of the period in the merchant's time zone, such as `2026-08-01`. */
  period: string
  takenMinor: string
  givenBackMinor: string
  lostMinor: string
  disputedMinor: string
  heldMinor: string
  releasedMinor: string
  unmatchedMinor: string
  overReturnedMinor: string
  feeMinor: string
  /** Attempts whose first money was taken in the period, and how many of them have a known fee. */
  takenAttempts: number
  takenAttemptsWithFee: number
  entries: number
}

/** The sums that are open now, in minor units as decimal text. */
export type OpenMoneyRecord = Pick<TotalsRecord, 'merchantId' | 'accountId' | 'currency'> & {
  heldMinor: string
  underWayMinor: string
  disputedMinor: string
}

export type TotalsFilter = {
  merchantId: string | undefined
  accountId: string | undefined
  currency: CurrencyCode | undefined
}

/** The sum of the entries `e` of the first kinds, less those of the second, as decimal text. */
const netOf = (plus: string, minus: string) =>
  `coalesce(sum(case e.kind ${plus
    .split(' ')
    .map((kind) => `when '${kind}' then e.amount_minor`)
    .join(' ')} ${minus
    .split(' ')
    .filter(Boolean)
    .map((kind) => `when '${kind}' then -e.amount_minor`)
    .join(' ')} end), 0)::text`

const KEPT_COLUMNS = `${netOf('taken', 'taken_back')} as "takenMinor",
     ${netOf('refunded', 'refund_failed')} as "givenBackMinor",
     ${netOf('dispute_lost', 'dispute_regained')} as "lostMinor"`

/** `from` and `until`: days, `until` not included. */
// Each merchant's days begin at its own midnight, so each merchant has its own range of times. An attempt's fee counts once, in the
// period in which its money was first taken. What a statement says about it counts more than what the provider said at the payment.
export const sumTotals = statement<TotalsRecord>(
  'sum_totals',
  `select m.id as "merchantId", a.account_id as "accountId", e.currency, z.name as "timeZone",
     to_char(date_trunc($3, ${MOMENT} at time zone z.name), 'YYYY-MM-DD') as period,
     ${KEPT_COLUMNS},
     ${netOf('dispute_opened', 'dispute_won dispute_lost')} as "disputedMinor",
     ${netOf('held', '')} as "heldMinor",
     ${netOf('released', '')} as "releasedMinor",
     ${netOf('unmatched', 'matched')} as "unmatchedMinor",
     ${netOf('over_returned', '')} as "overReturnedMinor",
     coalesce(sum(f.fee_minor), 0)::text as "feeMinor",
     count(*) filter (where f.is_first)::int as "takenAttempts",
     count(f.fee_minor)::int as "takenAttemptsWithFee",
     count(*)::int as entries
   from kassa.merchants m
     cross join lateral (select coalesce(m.branding ->> 'timeZone', $4) as name) z
     join world.entries e on e.merchant_id = m.id
       and ${isInDays('$1', '$2', 'z.name')}
     join world.attempts a on a.merchant_id = e.merchant_id and a.payment_id = e.payment_id and a.number = e.attempt
     left join lateral (
       select true as is_first, coalesce((
         select sum(l.fee_minor)::bigint from world.statement_lines l
         where l.merchant_id = e.merchant_id and l.payment_id = e.payment_id and l.attempt = e.attempt and l.payment_id is not null
           and l.fee_currency = e.currency), (a.facts ->> 'feeMinor')::bigint) as fee_minor
       where e.kind = 'taken' and not exists (
         select from world.entries b where b.merchant_id = e.merchant_id and b.payment_id = e.payment_id and b.number < e.number
           and b.attempt = e.attempt and b.kind = 'taken')) f on true
   where m.id = any($5) and ($6::text is null or a.account_id = $6) and ($7::text is null or e.currency = $7)
   group by 1, 2, 3, 4, 5 order by 1, 5, 2, 3`,
).all(
  (
    range: { from: string; until: string; by: 'day' | 'month'; timeZone: string; merchantIds: string[] },
    { accountId, currency }: TotalsFilter,
  ) => {
    const { from, until, by, timeZone, merchantIds } = range
    return [from, until, by, timeZone, merchantIds, accountId, currency]
  },
)

// Two partial indexes hold what is open, so this reads nothing else.
export const sumOpenMoney = statement<OpenMoneyRecord>(
  'sum_open_money',
  `select merchant_id as "merchantId", account_id as "accountId", currency, sum(held)::text as "heldMinor",
     sum(under_way)::text as "underWayMinor", sum(disputed)::text as "disputedMinor"
   from (
     select p.merchant_id, a.account_id, p.currency, a.authorized_minor - a.captured_minor as held, 0 as under_way,
       a.disputed_minor as disputed
     from world.payments p join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.number = p.attempt
     where p.status in ('authorized', 'disputed')
     union all
     select p.merchant_id, a.account_id, p.currency, 0, p.amount_minor, 0
     from world.attempts a join world.payments p on p.merchant_id = a.merchant_id and p.id = a.payment_id
     where a.under_way_since is not null
   ) each
   where ($1::text is null or merchant_id = $1) and ($2::text is null or account_id = $2) and ($3::text is null or currency = $3)
   group by 1, 2, 3 order by 1, 2, 3`,
).all(({ merchantId, accountId, currency }: TotalsFilter) => [merchantId, accountId, currency])

/** Sums in minor units, as decimal text, because a sum may exceed 2^53. `entries`: how many were added up. */
type ShopDayRecord = {
  /** In the zone of the shop, such as `2026-08-01`. */
  day: string
  currency: CurrencyCode
  takenMinor: string
  givenBackMinor: string
  lostMinor: string
  entries: number
}

/**
 * Returns what a shop took, gave back and lost on each day from `from` to before `until`. It reads the newest `daysMax` entries of that
 * time, so the cost has a bound, however much the shop sells.
 */
export const sumShopDays = statement<ShopDayRecord>(
  'sum_shop_days',
  `select to_char(e.day, 'YYYY-MM-DD') as day, e.currency,
     ${KEPT_COLUMNS},
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

/** Returns what a shop, or all shops together, took, gave back and lost on the day that it is in each shop. */
export const sumToday = statement<Omit<ShopDayRecord, 'day' | 'entries'>>(
  'sum_today',
  `select e.currency, ${KEPT_COLUMNS}
   from kassa.merchants m
     cross join lateral (select coalesce(m.branding ->> 'timeZone', $2) as name) z
     cross join lateral (select ($1::timestamptz at time zone z.name)::date as day) today
     join world.entries e on e.merchant_id = m.id and ${isInDays('today.day', '(today.day + 1)', 'z.name')}
   where $3::text is null or m.id = $3
   group by 1 order by 1`,
).all((now: Date, timeZone: string, merchantId: string | null) => [now, timeZone, merchantId])
