/**
 * The order numbers that were given out. Accounts of one contract share them, because the provider knows an order by its number.
 * `accountId`: of the oldest account of the contract.
 */
import { statement } from '../db.ts'

/** Whole numbers, both included. */
export type NumberRange = { first: number; last: number }

const RANGE = "int8multirange(int8range($2, $3, '[]'))"
/** The number after the highest one of the range that was given out. */
const nextIn = (used: string) => `coalesce(upper(${used} * ${RANGE}), $2::bigint)`
const numbers = (first: string, count: string) => `int8multirange(int8range(${first}, ${first} + ${count}))`
const KNOWN = nextIn('known.used')

/** Returns a number of the range that no order has got; null if none is left. */
export const takeOrderNumber = statement<{ number: number }>(
  'take_order_number',
  `insert into world.used_numbers as known (account_id, used) values ($1, ${numbers('$2::bigint', '1')})
   on conflict (account_id) do update set used = known.used + ${numbers(KNOWN, '1')} where ${KNOWN} <= $3
   returning (upper(used * ${RANGE}) - 1)::float8 as number`,
).first((accountId: string, { first, last }: NumberRange) => [accountId, first, last])

/**
 * Gives the numbers of these accounts to the contract's oldest one. An earlier version may have counted them apart, because it knew a
 * contract by the spelling of its settings. The contract skips again after the latest restore, as they may not have done so.
 */
export const joinOrderNumbers = statement(
  'join_order_numbers',
  `with gone as (delete from world.used_numbers where account_id = any($2) returning used)
   insert into world.used_numbers as known (account_id, used)
   select $1::text, range_agg(part) from gone, unnest(used) part having count(*) > 0
   on conflict (account_id) do update set used = known.used + excluded.used, skipped = '{}'`,
).run((accountId: string, others: readonly string[]) => [accountId, others])

/** For which restore the range has skipped numbers. Null: for none. */
export const findSkippedFor = statement<{ restoredAt: Date }>(
  'find_skipped_for',
  `select (skipped ->> $2)::timestamptz as "restoredAt" from world.used_numbers where account_id = $1 and skipped ? $2`,
).first((accountId: string, { first }: NumberRange) => [accountId, String(first)])

/** At most half of the numbers that are left. */
const skippedOf = (next: string) => numbers(next, `least($4::bigint, ($3 + 1 - ${next}) / 2)`)

/** Skips numbers once for each restore, however many do it at once. */
export const skipOrderNumbers = statement(
  'skip_order_numbers',
  `insert into world.used_numbers as known (account_id, used, skipped)
   values ($1, ${skippedOf('$2::bigint')}, jsonb_build_object($2::text, $5::timestamptz))
   on conflict (account_id) do update set used = known.used + ${skippedOf(KNOWN)}, skipped = known.skipped || excluded.skipped
   where coalesce((known.skipped ->> ($2::text))::timestamptz < $5, true)`,
).run((accountId: string, { first, last }: NumberRange, countMax: number, restoredAt: Date) => [
  accountId,
  first,
  last,
  countMax,
  restoredAt,
])
