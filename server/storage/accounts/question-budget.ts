/**
 * The budget of an account for questions that may wait: about payments with money, orders that are over, and savings of cards that have
 * ended. Two workers of an account share it, so its row is locked while one of them claims.
 */

/** Budget that was not used is kept for this long. */
const BUDGET_KEPT_MS = 60_000

/**
 * Begins a statement with the common table `chosen`: what is due and fits into the budget, which it uses up. `due`: selects the keys of
 * up to $4 rows that are due at $2 at the account $1. `valuesOfBudget` makes the parameters; $3 is the time at which what is claimed is due again.
 */
export const withBudget = (due: string): string => `with budget as (
     select greatest(coalesce(settled_questions_paused_until, $5), $5) as used_until from world.accounts where id = $1 for no key update
   ), due as (
     ${due} limit $4 for update skip locked
   ), chosen as (
     select * from due
     limit (select greatest(0, 1 + floor(extract(epoch from $2 - used_until) / $6::float8))::int from budget)
   ), spent as (
     update world.accounts
     set settled_questions_paused_until = (select used_until from budget) + (select count(*) from chosen) * $6::float8 * interval '1 second'
     where id = $1 and exists (select from chosen)
   )`

export type BudgetedClaim = { now: Date; leaseUntil: Date; limit: number; perHour: number }

export function valuesOfBudget(
  accountId: string,
  { now, leaseUntil, limit, perHour }: BudgetedClaim,
): unknown[] {
  const keptSince = new Date(now.getTime() - BUDGET_KEPT_MS)
  return [accountId, now, leaseUntil, limit, keptSince, 3_600 / perHour]
}
