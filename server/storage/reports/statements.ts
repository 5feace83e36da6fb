/** Lines of statements, and the attempts that they belong to. */

import { statement } from '../db.ts'
import type { NamedAttempt } from '../payments/attempt.ts'

export const LINE_KINDS = ['taken', 'returned', 'disputed', 'fee', 'payout', 'other'] as const
export type LineKind = (typeof LINE_KINDS)[number]

export type StatementLine = {
  /** The provider's own id of the line, else a digest. */
  lineId: string
  at: Date
  kind: LineKind
  currency: string
  /** In minor units. Of money that was taken: positive if it came. Of all other kinds: positive if it went away. */
  amountMinor: number
  feeMinor: number
  feeCurrency: string
  /** What may name an order of ours, and what may name a movement at the provider. */
  orderNames: string[]
  movementNames: string[]
  payoutId: string | null
}
/** The attempt is null while the line belongs to nothing that is known here. */
export type KnownLine = Omit<StatementLine, 'orderNames'> & {
  merchantId: string | null
  paymentId: string | null
  attempt: number | null
}
export type StatementRecord = { digest: string; lines: number; fromAt: Date; untilAt: Date }

const COLUMNS = `l.line_id as "lineId", l.at, l.kind, l.currency, l.amount_minor as "amountMinor", l.fee_minor as "feeMinor",
  l.fee_currency as "feeCurrency", l.movement_names as "movementNames", l.payout_id as "payoutId", l.merchant_id as "merchantId",
  l.payment_id as "paymentId", l.attempt`

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

/** Returns the number of lines that were new or had changed. */
// A line that is stored with the same values is left alone, so that the same file changes nothing. It is planned anew: planned while
// the table is new, it would read all lines of the account for each line.
export const storeLines = statement<{ lineId: string }>(
  'store_statement_lines',
  `with input as (
     select * from jsonb_to_recordset($2::jsonb) as (line_id text, at timestamptz, kind text, currency text, amount_minor bigint,
       fee_minor bigint, fee_currency text, order_names text[], movement_names text[], payout_id text)
   ), fresh as (
     select i.* from input i left join world.statement_lines l on l.account_id = $1 and l.line_id = i.line_id
     where l.line_id is null
       or (l.at, l.kind, l.currency, l.amount_minor, l.fee_minor, l.payout_id)
         is distinct from (i.at, i.kind, i.currency, i.amount_minor, i.fee_minor, coalesce(i.payout_id, l.payout_id))
   ) insert into world.statement_lines (account_id, line_id, at, kind, currency, amount_minor, fee_minor, fee_currency, order_names,
       movement_names, payout_id, merchant_id, payment_id, attempt)
     select $1, f.line_id, f.at, f.kind, f.currency, f.amount_minor, f.fee_minor, f.fee_currency, f.order_names, f.movement_names,
       f.payout_id, found.merchant_id, found.payment_id, found.number
     from fresh f ${attemptOf('f')}
   on conflict (account_id, line_id) do update set at = excluded.at, kind = excluded.kind, currency = excluded.currency,
     amount_minor = excluded.amount_minor, fee_minor = excluded.fee_minor,
     payout_id = coalesce(excluded.payout_id, statement_lines.payout_id),
     merchant_id = excluded.merchant_id, payment_id = excluded.payment_id, attempt = excluded.attempt
   returning line_id as "lineId"`,
  { isPlannedAnew: true },
).count((accountId: string, lines: StatementLine[]) => {
  const rows = lines.map((each) => ({
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
  }))
  return [accountId, JSON.stringify(rows)]
})

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
   values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
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
  `select digest, lines, from_at as "fromAt", until_at as "untilAt" from world.statements where account_id = $1 order by from_at`,
).all((accountId: string) => [accountId])
