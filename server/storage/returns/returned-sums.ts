/**
 * What each person and each token has returned in a day. One row for each of them, day and currency. The sums are locked while a
 * return is counted, so that returns at the same moment see one another.
 * Rule: a sum counts until its day is over in the time zone in which it began. So another time zone of a shop, and shops with several
 * time zones, give nobody a second day.
 */
import type { ReturnLimits } from '../access/users.ts'
import { type Queryable, statement } from '../db.ts'

export type ReturnedSum = { amountMinor: number; aloneMinor: number }

/**
 * `person`: the person who returns money, or whose sums the token counts in; null for the host. `isRemoved`: this person was removed.
 * `approvalMinor`: the sum from which a second person is needed. `sums`: of the day, by `who`.
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
  select z.day, (z.day + 1)::timestamp at time zone z.name as ends_at from kassa.merchants m
    cross join lateral (select coalesce(m.branding ->> 'timeZone', $2) as name) n
    cross join lateral (select n.name, ($1::timestamptz at time zone n.name)::date as day) z where m.id = $3)`
/** The rows that still count, beside the one of today. */
const OTHERS = `select s.who, s.amount_minor, s.alone_minor from world.returned_sums s, today
  where s.who = any($5::text[]) and s.currency = $4 and (s.day > today.day or s.day < today.day and s.ends_at > $1)`
const LIMITS = `(select jsonb_build_object('isRemoved', o.removed_at is not null, 'refundLimits', u.refund_limits,
      'refundLimitsDay', u.refund_limits_day)
    from kassa.operators o left join kassa.console_users u on u.operator_id = o.id where o.id = $6) as person,
  (select jsonb_build_object('refundLimits', t.refund_limits, 'refundLimitsDay', t.refund_limits_day)
    from world.api_keys t where t.merchant_id = $3 and t.id = $7) as token,
  (select limit_minor from kassa.approval_limits where world = $8 and currency = $4) as "approvalMinor"`
const sumsOf = (rows: string) => `(select coalesce(jsonb_object_agg(who, sums), '{}') from (
  select who, jsonb_build_object('amountMinor', sum(amount_minor), 'aloneMinor', sum(alone_minor)) as sums from (${rows}) r group by who) g) as sums`

const read = statement<ReturnFacts>(
  'read_returned',
  `with ${TODAY}
   select ${LIMITS}, ${sumsOf(`${OTHERS} union all select s.who, s.amount_minor, s.alone_minor from world.returned_sums s
     where s.who = any($5::text[]) and s.day = (select day from today) and s.currency = $4`)}`,
)

// The rows of two days are counted together, so locking one row is not enough. The lock is a statement of its own, because a statement
// sees only rows that were stored before it began.
const lock = statement(
  'lock_returned',
  `select pg_advisory_xact_lock(hashtextextended('returned ' || $3 || ' ' || w.who || ' ' || $2, 0))
   from unnest($1::text[]) with ordinality w (who, place) order by w.place`,
)

// A statement that waits for the row of another return continues with the sum which that one has stored.
const count = statement<ReturnFacts>(
  'count_returned',
  `with ${TODAY}, counted as (
     insert into world.returned_sums as s (who, day, currency, amount_minor, alone_minor, ends_at)
     select w.who, today.day, $4, $9::bigint, $10::bigint, today.ends_at from today cross join unnest($5::text[]) with ordinality w (who, place) order by w.place
     on conflict (who, day, currency) do update set
       amount_minor = s.amount_minor + excluded.amount_minor, alone_minor = s.alone_minor + excluded.alone_minor,
       ends_at = greatest(s.ends_at, excluded.ends_at)
     returning who, amount_minor, alone_minor), noted as (
     update world.operations set counted = jsonb_build_object('day', today.day, 'who', $5::text[], 'amountMinor', $9::bigint,
       'aloneMinor', $10::bigint) from today where merchant_id = $3 and id = $11)
   select ${LIMITS}, ${sumsOf(`${OTHERS} union all select who, amount_minor, alone_minor from counted`)}`,
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

/** Deletes a batch of the sums of days before this one. Returns how many. */
export const deleteOldSums = statement<{ who: string }>(
  'delete_old_returned_sums',
  `delete from world.returned_sums where (who, day, currency) in (
     select who, day, currency from world.returned_sums where day < $1::date limit $2 for update skip locked) returning who`,
).count((before: string, limit: number) => [before, limit])

const valuesOf = (of: ReturnOf, world: string) => [
  of.at,
  of.timeZone,
  of.merchantId,
  of.currency,
  of.who,
  of.personId,
  of.tokenId,
  world,
]

/** Returns the limits, and the sums of the day as they are now. */
export async function readReturned(db: Queryable, of: ReturnOf): Promise<ReturnFacts> {
  const [facts] = await read(db, valuesOf(of, db.world))
  if (!facts) throw new Error('Bug! A return without limits.')
  return facts
}

/**
 * Counts a return, and locks the sums until the end of the transaction. Returns the limits, and the sums with this return. A caller that
 * finds a limit exceeded rolls the transaction back.
 */
export async function countReturned(
  tx: Queryable,
  of: ReturnOf,
  { amountMinor, aloneMinor, operationId }: ReturnedSum & { operationId: string | null },
): Promise<ReturnFacts> {
  await lock(tx, [of.who, of.currency, tx.world])
  const [facts] = await count(tx, [...valuesOf(of, tx.world), amountMinor, aloneMinor, operationId])
  if (!facts) throw new Error('Bug! A return that was not counted.')
  return facts
}

/** Takes an operation that has failed out of the sums. */
export async function releaseReturned(tx: Queryable, currency: string, counted: Counted): Promise<void> {
  const { who, day, amountMinor, aloneMinor } = counted
  await release(tx, [who, day, currency, amountMinor, aloneMinor])
}
