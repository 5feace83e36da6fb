/** Finds the accounts with due rows, claims due operations, and says when the next row becomes due. Each account costs one look into an index. */

import type { OperationType } from '../../contract/operation.ts'
import { type Queryable, statement } from '../db.ts'
import { OPERATION_COLUMNS, type OperationRecord } from './operations.ts'

/**
 * The two classes of questions about attempts. Buyers may be paying the open ones now. The settled ones are many and may wait, so each
 * account has a budget for them: orders with money, and orders that were over hours before the question is due. Each is the condition of
 * an index.
 */
export const OPEN_QUESTION = `(state <> 'paid'
  and (state in ('planned', 'opening', 'open') or under_way_since is not null or question_due_at - expires_at <= interval '3 hours'))`
export const SETTLED_QUESTION = `(state = 'paid'
  or (state not in ('planned', 'opening', 'open') and under_way_since is null and question_due_at - expires_at > interval '3 hours'))`

/** The same two classes of questions about savings of cards: a buyer may be saving one now, or only late money could arrive. */
export const OPEN_SAVING = "status = 'pending'"
export const ENDED_SAVING = "status <> 'pending'"

type Due = { list(db: Queryable, now: Date): Promise<string[]>; next(db: Queryable): Promise<Date | null> }

type Table = {
  name: string
  table: string
  column: string
  /** The condition of the index. */
  where?: string
  /** A column of the account: until when its rows wait, although they are due. */
  pacedUntil?: string
}

/** `table` has an index on its account and `column`. "offset 0" keeps the planner from joining the tables. */
function dueOf({ name, table, column, where = 'true', pacedUntil }: Table): Due {
  const isFree = pacedUntil ? `(a.${pacedUntil} is null or a.${pacedUntil} <= $1)` : 'true'
  const list = statement<{ id: string }>(
    `list_accounts_with_due_${name}`,
    `select a.id from world.accounts a where ${isFree} and exists (
       select from world.${table} d where d.account_id = a.id and d.${column} <= $1 and ${where} offset 0)`,
  )
  const next = statement<{ at: Date | null }>(
    `find_next_due_${name}`,
    `select min(greatest(due.at${pacedUntil ? `, a.${pacedUntil}` : ''})) as at from world.accounts a cross join lateral (
       select d.${column} as at from world.${table} d
       where d.account_id = a.id and d.${column} is not null and ${where} order by d.${column} limit 1) due`,
  )
  return {
    list: async (db, now) => (await list(db, [now])).map(({ id }) => id),
    next: async (db) => (await next(db, []))[0]?.at ?? null,
  }
}

export const DUE_QUESTIONS = dueOf({
  name: 'questions',
  table: 'attempts',
  column: 'question_due_at',
  where: OPEN_QUESTION,
})
/** About attempts whose money has moved, and those that are over. */
export const DUE_SETTLED_QUESTIONS = dueOf({
  name: 'settled_questions',
  table: 'attempts',
  column: 'question_due_at',
  where: SETTLED_QUESTION,
  pacedUntil: 'settled_questions_paused_until',
})
export const DUE_SAVINGS = dueOf({
  name: 'savings',
  table: 'saved_methods',
  column: 'due_at',
  where: OPEN_SAVING,
})
export const DUE_ENDED_SAVINGS = dueOf({
  name: 'ended_savings',
  table: 'saved_methods',
  column: 'due_at',
  where: ENDED_SAVING,
  pacedUntil: 'settled_questions_paused_until',
})
export const DUE_SUBSCRIPTIONS = dueOf({ name: 'subscriptions', table: 'subscriptions', column: 'due_at' })

// "offset 0" keeps the planner from joining the tables: it looks into the index once for each account.
const accountsWithDueOperations = statement<{ id: string }>(
  'list_accounts_with_due_operations',
  `select a.id from world.accounts a where exists (
     select from world.operations o where o.account_id = a.id and o.due_at <= $1 and o.type = any($2::text[]) offset 0)`,
)

/** Claims up to `limit` due operations of this account and of these types. They are due again at `leaseUntil`. */
export const claimDueOperations = statement<OperationRecord>(
  'claim_due_operations',
  `update world.operations set due_at = $2, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.operations where account_id = $5 and due_at <= $1 and type = any($4::text[])
     order by due_at, id limit $3 for update skip locked)
   returning ${OPERATION_COLUMNS}`,
).all(
  (
    accountId: string,
    { now, leaseUntil, limit, types }: { now: Date; leaseUntil: Date; limit: number; types: OperationType[] },
  ) => [now, leaseUntil, limit, types, accountId],
)

/** Returns the accounts with an operation of these types that is due. */
export async function listAccountsWithDueOperations(
  db: Queryable,
  now: Date,
  types: OperationType[],
): Promise<string[]> {
  return (await accountsWithDueOperations(db, [now, types])).map(({ id }) => id)
}

/** Returns when the next operation of these types is due. Null if there is none. */
export const findNextDueOperation = statement<{ at: Date | null }>(
  'find_next_due_operation',
  `select min(due.at) as at from world.accounts a cross join lateral (
     select o.due_at as at from world.operations o
     where o.account_id = a.id and o.due_at is not null and o.type = any($1::text[]) order by o.due_at limit 1) due`,
).value('at', null, (types: OperationType[]) => [types])
