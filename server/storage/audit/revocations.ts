/** Revocations that are not yet in the list outside the database. Triggers write the rows. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('revocations', ['id', 'world', 'kind', 'about'])
/** `about`: the key of the row. `values`: those that hold since. */
export type RevocationRecord = RecordOf<'revocations', typeof FIELDS, { about: Record<string, unknown> }> & {
  at: string
  values: Record<string, unknown>
}

/** One process at a time writes to the list, until the end of its transaction. Returns false if another one does. */
export const lockRevocations = statement<{ isLocked: boolean }>(
  'lock_revocations',
  `select pg_try_advisory_xact_lock(x'6b617373'::int, x'7265766f'::int) as "isLocked"`,
).row()

export const listUnwrittenRevocations = statement<RevocationRecord>(
  'list_unwritten_revocations',
  `select ${selected(FIELDS)}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, "values"
   from kassa.revocations where line is null order by id limit $1`,
).all((limit: number) => [limit])

export const markRevocationWritten = statement(
  'mark_revocation_written',
  'update kassa.revocations set line = $2 where id = $1',
).run((id: number, line: number) => [id, line])

/** Returns the last line that is in the list outside, as far as the database knows. */
export const countWrittenRevocations = statement<{ line: number | null }>(
  'count_written_revocations',
  'select max(line) as line from kassa.revocations',
).value('line', 0)

/** How many rows are not in the list yet, and since when. */
export const measureUnwritten = statement<{ count: number; since: Date | null }>(
  'measure_unwritten_revocations',
  'select count(*)::int as count, min(at) as since from kassa.revocations where line is null',
).row()

/** Lines after this one are missing in the list outside. */
export const forgetLinesAfter = statement(
  'forget_revocation_lines',
  'update kassa.revocations set line = null where line > $1',
).run((line: number) => [line])

/** Since when this database has noted what was taken back. */
export const findListBegin = statement<{ at: string }>(
  'find_revocations_begin',
  `select to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from kassa.migrations
   where (schema, name) = ('kassa', '0016_revocations.sql')`,
).value('at', '')
