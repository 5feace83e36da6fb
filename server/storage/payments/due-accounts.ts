/** Finds the accounts with due rows, and when the next row becomes due. Each account costs one look into an index. */
import { type Queryable, statement } from '../db.ts'

type Due = { list(db: Queryable, now: Date): Promise<string[]>; next(db: Queryable): Promise<Date | null> }

/** `table` has an index on its account and `column`. "offset 0" keeps the planner from joining the tables. */
function dueOf(name: string, table: string, column: string): Due {
  const list = statement<{ id: string }>(
    `list_accounts_with_due_${name}`,
    `select a.id from world.accounts a where exists (
       select from world.${table} d where d.account_id = a.id and d.${column} <= $1 offset 0)`,
  )
  const next = statement<{ at: Date | null }>(
    `find_next_due_${name}`,
    `select min(due.at) as at from world.accounts a cross join lateral (
       select d.${column} as at from world.${table} d
       where d.account_id = a.id and d.${column} is not null order by d.${column} limit 1) due`,
  )
  return {
    list: async (db, now) => (await list(db, [now])).map(({ id }) => id),
    next: async (db) => (await next(db, []))[0]?.at ?? null,
  }
}

export const DUE_QUESTIONS = dueOf('questions', 'attempts', 'question_due_at')
export const DUE_SAVED_METHODS = dueOf('saved_methods', 'saved_methods', 'due_at')
export const DUE_SUBSCRIPTIONS = dueOf('subscriptions', 'subscriptions', 'due_at')
