/** How the columns of an account's statements are read, where a person has said so. */
import { statement } from '../db.ts'

export const findStatementFormat = statement<{ format: unknown }>(
  'find_statement_format',
  'select format from world.statement_formats where account_id = $1',
).value('format', null, (accountId: string) => [accountId])

export const saveStatementFormat = statement(
  'save_statement_format',
  `insert into world.statement_formats (account_id, format, changed_at) values ($1, $2, $3)
   on conflict (account_id) do update set format = excluded.format, changed_at = excluded.changed_at`,
).run((accountId: string, format: object, now: Date) => [accountId, JSON.stringify(format), now])
