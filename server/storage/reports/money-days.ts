/**
 * The one place that decides which entries belong to a time of a shop. Totals, exports, lists and *Today* all read it, so the sums of a
 * day are equal in each of them.
 */
import type { CurrencyCode, ProviderRoute } from '../../contract/fields.ts'
import { statement } from '../db.ts'
import type { EntryKind } from '../payments/entries.ts'

/**
 * When the money of an entry `e` moved: the provider's time where it states one, else ours. A provider's time in the future is ignored.
 * The index `entries_by_moment` has the same text.
 */
export const MOMENT = 'least(e.moved_at, e.created_at)'

/**
 * When a day begins in a zone, as `momentOf` has it. PostgreSQL takes the second of two midnights, where clocks are put back by an hour
 * to midnight.
 */
const beginOf = (day: string, zone: string): string => {
  const second = `(${day}::date::timestamp at time zone ${zone})`
  const first = `(${second} - interval '1 hour')`
  return `case when ${first} at time zone ${zone} >= ${day}::date::timestamp then ${first} else ${second} end`
}

/** Whether the entry `e` is in the days from `from` to before `until` of a zone. Each is an SQL expression. */
export const isInDays = (from: string, until: string, zone: string): string =>
  `${MOMENT} >= ${beginOf(from, zone)} and ${MOMENT} < ${beginOf(until, zone)}`

/** Whether the entry `e` is in the time from `from` to before `until`. */
export const isInTime = (from: string, until: string): string =>
  `${MOMENT} >= ${from}::timestamptz and ${MOMENT} < ${until}::timestamptz`

/** A movement of a shop's money. `bookedAt`: the day by the provider's statement, where a line of it names this attempt. */
export type MovementRecord = {
  paymentId: string
  number: number
  kind: EntryKind
  amountMinor: number
  currency: CurrencyCode
  providerId: string | null
  moment: Date
  bookedAt: Date | null
  provider: ProviderRoute
  accountId: string
  reference: string
}

export type MovementRange = { merchantId: string; since: Date; until: Date }
/** The movement behind which a page begins. */
export type MovementPosition = Pick<MovementRecord, 'moment' | 'paymentId' | 'number'>

const STATEMENT_KIND = `case when e.kind in ('taken', 'taken_back') then 'taken'
  when e.kind in ('refunded', 'refund_failed') then 'returned' else 'disputed' end`

const COLUMNS = `e.payment_id as "paymentId", e.number, e.kind, e.amount_minor as "amountMinor", e.currency,
  e.provider_id as "providerId", ${MOMENT} as moment, a.provider, a.account_id as "accountId", a.reference, (
    select min(l.at) from world.statement_lines l
    where l.merchant_id = e.merchant_id and l.payment_id = e.payment_id and l.attempt = e.attempt and l.payment_id is not null
      and l.kind = ${STATEMENT_KIND} and l.currency = e.currency and (e.provider_id is null or l.kind = 'taken'
        or e.provider_id = any(l.movement_names) or cardinality(l.movement_names) = 0)) as "bookedAt"`
const FROM = `from world.entries e
  join world.attempts a on a.merchant_id = e.merchant_id and a.payment_id = e.payment_id and a.number = e.attempt`

/** Returns the movements of a shop's money in a time, the first one first. */
export const listMovementsOfTime = statement<MovementRecord>(
  'list_movements_of_time',
  `select ${COLUMNS} ${FROM}
   where e.merchant_id = $1 and ${isInTime('$2', '$3')} and (${MOMENT}, e.payment_id, e.number) > ($4::timestamptz, $5, $6)
   order by ${MOMENT}, e.payment_id, e.number limit $7`,
).all(({ merchantId, since, until }: MovementRange, after: MovementPosition | null, limit: number) => [
  merchantId,
  since,
  until,
  after?.moment ?? since,
  after?.paymentId ?? '',
  after?.number ?? 0,
  limit,
])

/** Returns all movements of some payments, the first one first. */
export const listMovementsOfPayments = statement<MovementRecord>(
  'list_movements_of_payments',
  `select ${COLUMNS} ${FROM}
   where e.merchant_id = any($1) and e.payment_id = any($2) order by ${MOMENT}, e.payment_id, e.number`,
).all((merchantIds: string[], paymentIds: string[]) => [merchantIds, paymentIds])
