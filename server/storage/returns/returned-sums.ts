/**
 * What each person and each token has returned in a day. One row for each of them, day and currency. The row is locked while a
 * return is counted, so that returns at the same moment see one another.
 */
import type { ReturnLimits } from '../access/users.ts'
import { type Queryable, statement } from '../db.ts'

export type ReturnedSum = { amountMinor: number; aloneMinor: number }

/**
 * `person`: whoever returns, or answers for the token; null for the host. `isRemoved`: this person may do nothing any more.
 * `approvalMinor`: from which sum on a second person is needed. `sums`: of the day, by `who`.
 */
export type ReturnFacts = {
  person: (ReturnLimits & { isRemoved: boolean }) | null
  token: ReturnLimits | null
  approvalMinor: number | null
  sums: Record<string, ReturnedSum>
}

/** `personId`: null for the host. `who`: whose sums it counts in, the person before the token, so that locks have one order. */
export type ReturnOf = {
  merchantId: string
  personId: string | null
  tokenId: string | null
  who: readonly string[]
  currency: string
  at: Date
  /** The zone of a shop that has not set one. */
  timeZone: string
}

const TODAY = `today as (
  select ($1::timestamptz at time zone coalesce(m.branding ->> 'timeZone', $2))::date as day from kassa.merchants m where m.id = $3)`
const LIMITS = `(select jsonb_build_object('isRemoved', o.removed_at is not null, 'refundLimits', u.refund_limits,
      'refundLimitsDay', u.refund_limits_day)
    from kassa.operators o left join kassa.console_users u on u.operator_id = o.id where o.id = $6) as person,
  (select jsonb_build_object('refundLimits', t.refund_limits, 'refundLimitsDay', t.refund_limits_day)
    from world.api_keys t where t.merchant_id = $3 and t.id = $7) as token,
  (select limit_minor from kassa.approval_limits where world = $8 and currency = $4) as "approvalMinor"`
const SUMS = `coalesce(jsonb_object_agg(who, jsonb_build_object('amountMinor', amount_minor, 'aloneMinor', alone_minor)), '{}') as sums`

const read = statement<ReturnFacts>(
  'read_returned',
  `with ${TODAY}
   select ${LIMITS}, (select ${SUMS} from world.returned_sums s
     where s.who = any($5::text[]) and s.day = (select day from today) and s.currency = $4) as sums`,
)

// A statement that waits for the row of another return continues with the sum which that one has stored.
const count = statement<ReturnFacts>(
  'count_returned',
  `with ${TODAY}, counted as (
     insert into world.returned_sums as s (who, day, currency, amount_minor, alone_minor)
     select w.who, today.day, $4, $9::bigint, $10::bigint from today cross join unnest($5::text[]) with ordinality w (who, place) order by w.place
     on conflict (who, day, currency) do update set
       amount_minor = s.amount_minor + excluded.amount_minor, alone_minor = s.alone_minor + excluded.alone_minor
     returning who, amount_minor, alone_minor), noted as (
     update world.operations set counted = jsonb_build_object('day', today.day, 'who', $5::text[], 'amountMinor', $9::bigint,
       'aloneMinor', $10::bigint) from today where merchant_id = $3 and id = $11)
   select ${LIMITS}, (select ${SUMS} from counted) as sums`,
)

/** Where an operation is counted. */
export type Counted = { day: string; who: string[] } & ReturnedSum

const release = statement(
  'release_returned',
  `with locked as (
     select s.who from world.returned_sums s join unnest($1::text[]) with ordinality w (who, place) on w.who = s.who
     where s.day = $2::date and s.currency = $3 order by w.place for update of s)
   update world.returned_sums set amount_minor = amount_minor - $4, alone_minor = alone_minor - $5
   where who in (select who from locked) and day = $2::date and currency = $3`,
)

const valuesOf = (of: ReturnOf, world: string) => [
  ...[of.at, of.timeZone, of.merchantId, of.currency, of.who],
  ...[of.personId, of.tokenId, world],
]

/** Returns the limits, and the sums of the day as they are now. */
export async function readReturned(db: Queryable, of: ReturnOf): Promise<ReturnFacts> {
  const [facts] = await read(db, valuesOf(of, db.world))
  if (!facts) throw new Error('Bug! A return without limits.')
  return facts
}

/**
 * Counts a return, and locks the sums until the end of the transaction. Returns the limits, and the sums with this return. Whoever
 * finds a limit exceeded rolls the transaction back.
 */
export async function countReturned(
  tx: Queryable,
  of: ReturnOf,
  { amountMinor, aloneMinor, operationId }: ReturnedSum & { operationId: string | null },
): Promise<ReturnFacts> {
  const [facts] = await count(tx, [...valuesOf(of, tx.world), amountMinor, aloneMinor, operationId])
  if (!facts) throw new Error('Bug! A return that was not counted.')
  return facts
}

/** Takes an operation that has failed out of the sums. */
export async function releaseReturned(tx: Queryable, currency: string, counted: Counted): Promise<void> {
  const { who, day, amountMinor, aloneMinor } = counted
  await release(tx, [who, day, currency, amountMinor, aloneMinor])
}
