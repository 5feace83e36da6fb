/** How the columns of an account's statements are read, where a person has said so. */
import { type Queryable, statement } from '../db.ts'

const find = statement<{ format: unknown }>(
  'find_statement_format',
  'select format from world.statement_formats where account_id = $1',
)
const save = statement(
  'save_statement_format',
  `insert into world.statement_formats (account_id, format, changed_at) values ($1, $2, $3)
   on conflict (account_id) do update set format = excluded.format, changed_at = excluded.changed_at`,
)

export async function findStatementFormat(db: Queryable, accountId: string): Promise<unknown> {
  return (await find(db, [accountId]))[0]?.format ?? null
}

export async function saveStatementFormat(
  db: Queryable,
  accountId: string,
  format: object,
  now: Date,
): Promise<void> {
  await save(db, [accountId, JSON.stringify(format), now])
}
