/** The files of an account's statements, their lines, how their columns are read, and what a person has answered about them. */
import { statement, type Tx } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { StatementRecord } from './statements.ts'

const FIELDS = fieldsOf('statement_files', [
  'digest',
  'run',
  'reading',
  'lines',
  'fromAt',
  'untilAt',
  'readAt',
  'withdrawnAt',
  'withdrawnBy',
  'withdrawnWhy',
])
export type FileRecord = RecordOf<'statement_files', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const findStatementFile = statement<FileRecord>(
  'find_statement_file',
  `select ${COLUMNS} from world.statement_files where account_id = $1 and digest = $2`,
).first((accountId: string, digest: string) => [accountId, digest])

export const listStatementFiles = statement<FileRecord>(
  'list_statement_files',
  `select ${COLUMNS} from world.statement_files where account_id = $1 and starts_with(digest, $2) order by read_at desc limit $3`,
).all((accountId: string, start: string, limit: number) => [accountId, start, limit])

/** Returns the number of this reading of the file. A file that was withdrawn counts again. */
export const beginStatementFile = statement<{ run: number }>(
  'begin_statement_file',
  `insert into world.statement_files as f (account_id, digest, run, lines, from_at, until_at, reading, read_at)
   values ($1, $2, 1, $3, $4, $5, $6, $7)
   on conflict (account_id, digest) do update set run = f.run + 1, lines = excluded.lines, from_at = excluded.from_at,
     until_at = excluded.until_at, reading = excluded.reading, read_at = excluded.read_at, withdrawn_at = null, withdrawn_by = null, withdrawn_why = null
   returning run`,
).value('run', 1, (accountId: string, each: StatementRecord & { reading: string }, now: Date) => [
  accountId,
  each.digest,
  each.lines,
  each.fromAt,
  each.untilAt,
  each.reading,
  now,
])

/** Its range no longer counts from now on. Returns false if there is no such file. */
export const withdrawStatementFile = statement<{ digest: string }>(
  'withdraw_statement_file',
  `with gone as (delete from world.statements where account_id = $1 and digest = $2)
   update world.statement_files set withdrawn_at = coalesce(withdrawn_at, $3), withdrawn_by = coalesce(withdrawn_by, $4),
     withdrawn_why = coalesce(withdrawn_why, $5) where account_id = $1 and digest = $2 returning digest`,
).some(
  (
    { accountId, digest }: { accountId: string; digest: string },
    { at, by, why }: { at: Date; by: string; why: string | null },
  ) => [accountId, digest, at, by, why],
)

/** Lines that a file had in another run than this one. */
export const findOldContents = statement<{ lineId: string }>(
  'find_old_statement_contents',
  `select line_id as "lineId" from world.statement_contents where account_id = $1 and digest = $2 and run <> $3
   order by line_id limit $4`,
).all((accountId: string, { digest, run }: { digest: string; run: number }, limit: number) => [
  accountId,
  digest,
  run,
  limit,
])

export const deleteContents = statement(
  'delete_statement_contents',
  'delete from world.statement_contents where account_id = $1 and digest = $2 and line_id = any($3)',
).run((accountId: string, digest: string, lineIds: string[]) => [accountId, digest, lineIds])

/** Deletes those of the lines that no file has. */
export const deleteLooseLines = statement<{ lineId: string }>(
  'delete_loose_statement_lines',
  `delete from world.statement_lines where account_id = $1 and line_id = any($2) and not line_id = any(array(
     select line_id from world.statement_contents where account_id = $1 and line_id = any($2))) returning line_id as "lineId"`,
  { isPrepared: false },
).all((accountId: string, lineIds: string[]) => [accountId, lineIds])

/**
 * One process at a time reads or withdraws statements of an account, until the end of its transaction. Returns false if another one
 * does. The transaction writes nothing and only holds the lock, so it may last as long as a file takes.
 */
export async function lockStatements(tx: Tx, accountId: string): Promise<boolean> {
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  return (await lockAccount(tx, accountId)).isLocked
}
const lockAccount = statement<{ isLocked: boolean }>(
  'lock_statements',
  `select pg_try_advisory_xact_lock(hashtextextended('statements ' || $1, 0)) as "isLocked"`,
).row((accountId: string) => [accountId])

/** Changes with each reading and each withdrawal of a statement of the account. */
export const markOfStatements = statement<{ mark: string }>(
  'mark_of_statements',
  `select coalesce(md5(string_agg(concat_ws(' ', digest, run, withdrawn_at), ',' order by digest)), '') as mark
   from world.statement_files where account_id = $1`,
).value('mark', '', (accountId: string) => [accountId])

export const findAnswers = statement<{ answers: unknown }>(
  'find_statement_answers',
  'select answers from world.statement_answers where account_id = $1 and head = $2',
).value('answers', null, (accountId: string, head: string) => [accountId, head])

export const saveAnswers = statement(
  'save_statement_answers',
  `insert into world.statement_answers (account_id, head, answers, answered_at) values ($1, $2, $3, $4)
   on conflict (account_id, head) do update set answers = excluded.answers, answered_at = excluded.answered_at`,
).run((accountId: string, head: string, answers: object, now: Date) => [
  accountId,
  head,
  JSON.stringify(answers),
  now,
])

/** Returns how the columns of the account are read, where a person has described them. */
export const findStatementFormat = statement<{ format: unknown }>(
  'find_statement_format',
  'select format from world.statement_formats where account_id = $1',
).value('format', null, (accountId: string) => [accountId])

export const saveStatementFormat = statement(
  'save_statement_format',
  `insert into world.statement_formats (account_id, format, changed_at) values ($1, $2, $3)
   on conflict (account_id) do update set format = excluded.format, changed_at = excluded.changed_at`,
).run((accountId: string, format: object, now: Date) => [accountId, JSON.stringify(format), now])
