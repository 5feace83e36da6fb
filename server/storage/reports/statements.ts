/** Lines of statements, and the attempts that they belong to. */

import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { NamedAttempt } from '../payments/attempt.ts'
import { WORDS } from '../rows.ts'

export const LINE_KINDS = WORDS['statement_lines.kind']
export type LineKind = (typeof LINE_KINDS)[number]

const LINE_FIELDS = fieldsOf('statement_lines', [
  /** The provider's own id of the line, else a digest. */
  'lineId',
  'at',
  'kind',
  'currency',
  /** In minor units. Positive: money that was taken has come, or money of any other kind has gone. */
  'amountMinor',
  'feeMinor',
  'feeCurrency',
  /** Texts that may name a movement at the provider. */
  'movementNames',
  'payoutId',
])
export type StatementLine = RecordOf<'statement_lines', typeof LINE_FIELDS> & {
  /** Texts that may name one of our orders. */
  orderNames: string[]
}
const KNOWN = fieldsOf('statement_lines', [...LINE_FIELDS, 'merchantId', 'paymentId', 'attempt'])
/** The attempt is null while the line belongs to nothing that is known here. */
export type KnownLine = RecordOf<'statement_lines', typeof KNOWN>
/** A line as it is stored. `line`: where it begins in the file. `found`: the attempt whose number is in its text. */
export type PlacedLine = StatementLine & { line: number; found: NamedAttempt | null; maybe: string[] }
export type FileRun = { digest: string; run: number }
const STATEMENT_FIELDS = fieldsOf('statements', ['digest', 'lines', 'fromAt', 'untilAt'])
export type StatementRecord = RecordOf<'statements', typeof STATEMENT_FIELDS>

const STATEMENT = selected(STATEMENT_FIELDS)

const COLUMNS = selected(KNOWN, 'l')

/** Finds an attempt of the account by our reference, else by the provider's id of an entry. */
const attemptOf = (line: string) => `left join lateral (
     select * from (
       select merchant_id, payment_id, number, 1 as rank from world.attempts
       where account_id = $1 and reference = any(${line}.order_names)
       union all
       select a.merchant_id, a.payment_id, a.number, 2 from world.entries e
         join world.attempts a on a.merchant_id = e.merchant_id and a.payment_id = e.payment_id and a.number = e.attempt
       where e.provider_id is not null and e.provider_id = any(${line}.movement_names) and a.account_id = $1
     ) each order by rank limit 1) found on ${line}.kind in ('taken', 'returned', 'disputed')`

const STORED = fieldsOf('statement_lines', [
  'lineId',
  'at',
  'kind',
  'currency',
  'amountMinor',
  'feeMinor',
  'payoutId',
  'paymentId',
  'maybe',
])
/** The columns of a stored line that are compared. */
export type StoredLine = RecordOf<'statement_lines', typeof STORED>

export const findStoredLines = statement<StoredLine>(
  'find_stored_lines',
  `select ${selected(STORED)}
   from world.statement_lines where account_id = $1 and line_id = any($2)`,
  { isPrepared: false },
).all((accountId: string, lineIds: string[]) => [accountId, lineIds])

const CONTENT_FIELDS = fieldsOf('statement_contents', ['lineId', 'digest', 'line', 'run'])
/** The place of a line in its file. */
export type Content = RecordOf<'statement_contents', typeof CONTENT_FIELDS>

const CONTENT = selected(CONTENT_FIELDS)

export const findContents = statement<Content>(
  'find_statement_contents',
  `select ${CONTENT} from world.statement_contents where account_id = $1 and line_id = any($2)`,
  { isPrepared: false },
).all((accountId: string, lineIds: string[]) => [accountId, lineIds])

export const storeContents = statement(
  'store_statement_contents',
  `insert into world.statement_contents (account_id, digest, line_id, line, run)
   select $1, $2, line_id, line, $3 from unnest($4::text[], $5::int[]) as given (line_id, line)
   on conflict (account_id, digest, line_id) do update set line = excluded.line, run = excluded.run`,
).run((accountId: string, { digest, run }: FileRun, all: { lineId: string; line: number }[]) => [
  accountId,
  digest,
  run,
  all.map(({ lineId }) => lineId),
  all.map(({ line }) => line),
])

// It is not prepared: with a plan from the time when the table was new it would read all lines of the account for each line.
export const storeLines = statement<{ lineId: string }>(
  'store_statement_lines',
  `with fresh as (
     select * from jsonb_to_recordset($2::jsonb) as (line_id text, at timestamptz, kind text, currency text, amount_minor bigint,
       fee_minor bigint, fee_currency text, order_names text[], movement_names text[], payout_id text, merchant_id text,
       payment_id text, attempt int, maybe text[])
   ) insert into world.statement_lines (account_id, line_id, at, kind, currency, amount_minor, fee_minor, fee_currency, order_names,
       movement_names, payout_id, merchant_id, payment_id, attempt, maybe)
     select $1, f.line_id, f.at, f.kind, f.currency, f.amount_minor, f.fee_minor, f.fee_currency, f.order_names, f.movement_names,
       f.payout_id, coalesce(found.merchant_id, f.merchant_id), coalesce(found.payment_id, f.payment_id),
       coalesce(found.number, f.attempt), f.maybe
     from fresh f ${attemptOf('f')}
   on conflict (account_id, line_id) do update set at = excluded.at, kind = excluded.kind, currency = excluded.currency,
     amount_minor = excluded.amount_minor, fee_minor = excluded.fee_minor,
     payout_id = coalesce(excluded.payout_id, statement_lines.payout_id),
     merchant_id = excluded.merchant_id, payment_id = excluded.payment_id, attempt = excluded.attempt, maybe = excluded.maybe
   returning line_id as "lineId"`,
  { isPrepared: false },
).count((accountId: string, lines: PlacedLine[]) => [
  accountId,
  JSON.stringify(
    lines.map((each) => ({
      line_id: each.lineId,
      at: each.at,
      kind: each.kind,
      currency: each.currency,
      amount_minor: each.amountMinor,
      fee_minor: each.feeMinor,
      fee_currency: each.feeCurrency,
      order_names: each.orderNames,
      movement_names: each.movementNames,
      payout_id: each.payoutId,
      merchant_id: each.found?.merchantId ?? null,
      payment_id: each.found?.paymentId ?? null,
      attempt: each.found?.number ?? null,
      maybe: each.maybe,
    })),
  ),
])

/** The attempts to which lines belong that were unknown when they were stored. `after`: the last line of the page before. */
export const findUnknownLines = statement<
  { lineId: string; at: Date; merchantId: string | null } & Partial<NamedAttempt>
>(
  'find_attempts_of_unknown_lines',
  `select l.line_id as "lineId", l.at, found.merchant_id as "merchantId", found.payment_id as "paymentId", found.number
   from (
     select * from world.statement_lines
     where account_id = $1 and payment_id is null and kind in ('taken', 'returned', 'disputed') and (at, line_id) > ($2, $3)
     order by at, line_id limit $4) l ${attemptOf('l')}
   order by l.at, l.line_id`,
).all((accountId: string, after: { at: Date; lineId: string }, limit: number) => [
  accountId,
  after.at,
  after.lineId,
  limit,
])

export const assignLine = statement(
  'assign_statement_line',
  `update world.statement_lines set merchant_id = $3, payment_id = $4, attempt = $5
   where account_id = $1 and line_id = $2 and payment_id is null`,
).run((accountId: string, lineId: string, { merchantId, paymentId, number }: NamedAttempt) => [
  accountId,
  lineId,
  merchantId,
  paymentId,
  number,
])

export const listLines = statement<KnownLine>(
  'list_statement_lines',
  `select ${COLUMNS} from world.statement_lines l
   where account_id = $1 and (at, line_id) > ($2, $3) and at <= $4 order by at, line_id limit $5`,
).all(
  (
    accountId: string,
    { after, until, limit }: { after: { at: Date; lineId: string }; until: Date; limit: number },
  ) => [accountId, after.at, after.lineId, until, limit],
)

// The account is compared afterwards. Otherwise an index that begins with it might be read, which has all of its lines.
export const listLinesOfAttempts = statement<KnownLine>(
  'list_statement_lines_of_attempts',
  `with found as materialized (
     select l.* from rows from (unnest($2::text[]), unnest($3::text[]), unnest($4::int[])) as asked(merchant, payment, number)
       join world.statement_lines l on l.merchant_id = merchant and l.payment_id = payment and l.attempt = number
     where l.payment_id is not null
   ) select ${COLUMNS} from found l where account_id = $1 and kind in ('taken', 'returned', 'disputed') order by at, line_id`,
).all((accountId: string, attempts: NamedAttempt[]) => [accountId, ...columnsOf(attempts)])

export function columnsOf(attempts: NamedAttempt[]) {
  return [
    attempts.map(({ merchantId }) => merchantId),
    attempts.map(({ paymentId }) => paymentId),
    attempts.map(({ number }) => number),
  ]
}

export const insertStatement = statement(
  'insert_statement',
  `insert into world.statements (account_id, digest, lines, from_at, until_at, created_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, digest) do update set lines = excluded.lines, from_at = excluded.from_at, until_at = excluded.until_at`,
).run((accountId: string, { digest, lines, fromAt, untilAt }: StatementRecord, now: Date) => [
  accountId,
  digest,
  lines,
  fromAt,
  untilAt,
  now,
])

export const listStatements = statement<StatementRecord>(
  'list_statements',
  `select ${STATEMENT} from world.statements where account_id = $1 order by from_at`,
).all((accountId: string) => [accountId])
