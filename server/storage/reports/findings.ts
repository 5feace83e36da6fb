/** Differences between statements and entries, and the entries that statements are compared with. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { NamedAttempt } from '../payments/attempt.ts'
import { WORDS } from '../rows.ts'
import { columnsOf } from './statements.ts'

export const SIDES = WORDS['statement_findings.side']
export type Side = (typeof SIDES)[number]
const FIELDS = fieldsOf('statement_findings', [
  /** Follows from what it is about. */
  'id',
  'kind',
  'side',
  'lineId',
  'merchantId',
  'paymentId',
  'attempt',
  'oursMinor',
  'theirsMinor',
  'currency',
  'theirCurrency',
  'foundAt',
  'closedAt',
  'closedBy',
  'why',
])
export type FindingRecord = RecordOf<'statement_findings', typeof FIELDS>
export type NewFinding = Omit<FindingRecord, 'foundAt' | 'closedAt' | 'closedBy' | 'why'>

const ENTRY_FIELDS = fieldsOf('entries', [
  'merchantId',
  'paymentId',
  'attempt as number',
  'number as entry',
  'kind',
  'amountMinor',
  'currency',
  'providerId',
  'movedAt',
  'createdAt',
])
export type AttemptEntry = RecordOf<'entries', typeof ENTRY_FIELDS, { currency: string }>

const COLUMNS = selected(FIELDS, 'f')
const ENTRY = selected(ENTRY_FIELDS, 'e')

export const listEntriesOfAttempts = statement<AttemptEntry>(
  'list_entries_of_attempts',
  `select ${ENTRY} from rows from (unnest($1::text[]), unnest($2::text[]), unnest($3::int[])) as asked(merchant, payment, number)
     join world.entries e on e.merchant_id = merchant and e.payment_id = payment and e.attempt = asked.number
   order by e.merchant_id, e.payment_id, e.number`,
).all((attempts: NamedAttempt[]) => columnsOf(attempts))

/** A page of a merchant's entries of a time. `isOwn`: its money is in this account. */
export const listAttemptsWithEntries = statement<
  NamedAttempt & { entry: number; createdAt: Date; isOwn: boolean }
>(
  'list_attempts_booked',
  `select e.merchant_id as "merchantId", e.payment_id as "paymentId", e.attempt as number, e.number as entry,
     e.created_at as "createdAt", exists (
       select from world.attempts a where a.merchant_id = e.merchant_id and a.payment_id = e.payment_id and a.number = e.attempt
         and a.account_id = $1) as "isOwn"
   from world.entries e
   where e.merchant_id = $2 and e.created_at >= $3 and e.created_at < $4 and (e.created_at, e.payment_id, e.number) > ($3, $5, $6)
   order by e.created_at, e.payment_id, e.number limit $7`,
).all(
  (
    { accountId, merchantId }: { accountId: string; merchantId: string },
    { from, until, after }: { from: Date; until: Date; after: { paymentId: string; entry: number } },
    limit: number,
  ) => [accountId, merchantId, from, until, after.paymentId, after.entry, limit],
)

// The account is compared afterwards, as in the statement for lines.
export const listFindingsOfAttempts = statement<FindingRecord>(
  'list_findings_of_attempts',
  `with found as materialized (
     select f.* from rows from (unnest($2::text[]), unnest($3::text[]), unnest($4::int[])) as asked(merchant, payment, number)
       join world.statement_findings f on f.merchant_id = merchant and f.payment_id = payment and f.attempt = number
     where f.closed_at is null
   ) select ${COLUMNS} from found f where account_id = $1`,
).all((accountId: string, attempts: NamedAttempt[]) => [accountId, ...columnsOf(attempts)])

export const listFindingsById = statement<FindingRecord>(
  'list_findings_by_ids',
  `select ${COLUMNS} from world.statement_findings f where account_id = $1 and id = any($2)`,
).all((accountId: string, ids: string[]) => [accountId, ids])

/** What the statement says about the line: the newest file that has it, where it begins there, its day, and the payments that it may be about. */
export type OfStatement = {
  statementFile: string | null
  statementLine: number | null
  statementDay: Date | null
  maybe: string[] | null
}

const OF_STATEMENT =
  'place.digest as "statementFile", place.line as "statementLine", l.at as "statementDay", l.maybe'
const FROM_STATEMENT = `left join world.statement_lines l on l.account_id = f.account_id and l.line_id = f.line_id
     left join lateral (
       select c.digest, c.line from world.statement_contents c
         join world.statement_files s on s.account_id = c.account_id and s.digest = c.digest
       where c.account_id = f.account_id and c.line_id = f.line_id order by s.read_at desc limit 1) place on true`

export const findFinding = statement<FindingRecord & OfStatement>(
  'find_statement_finding',
  `select ${COLUMNS}, ${OF_STATEMENT} from world.statement_findings f
     ${FROM_STATEMENT}
   where f.account_id = $1 and f.id = $2`,
).first((accountId: string, id: string) => [accountId, id])

export const listOpenFindings = statement<FindingRecord & OfStatement & { accountId: string }>(
  'list_open_findings',
  `select f.account_id as "accountId", ${COLUMNS}, ${OF_STATEMENT}
   from (
     select * from world.statement_findings
     where account_id = $1 and closed_at is null and (found_at, id) > ($2, $3) order by found_at, id limit $4) f
     ${FROM_STATEMENT}
   order by f.found_at, f.id`,
).all((accountId: string, { after, limit }: { after: { foundAt: Date; id: string }; limit: number }) => [
  accountId,
  after.foundAt,
  after.id,
  limit,
])

/** Adds the difference, or opens it again with other sums. */
export const saveFinding = statement(
  'save_finding',
  `insert into world.statement_findings as f (account_id, id, kind, side, line_id, merchant_id, payment_id, attempt, ours_minor,
     theirs_minor, currency, their_currency, found_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict (account_id, id) do update set ours_minor = excluded.ours_minor, theirs_minor = excluded.theirs_minor,
     currency = excluded.currency, their_currency = excluded.their_currency, found_at = excluded.found_at, closed_at = null,
     closed_by = null, why = null`,
).run((accountId: string, each: NewFinding, now: Date) => {
  const { id, kind, side, lineId, merchantId, paymentId, attempt } = each
  const sums = [each.oursMinor, each.theirsMinor, each.currency, each.theirCurrency]
  return [accountId, id, kind, side, lineId, merchantId, paymentId, attempt, ...sums, now]
})

/** `by`: null where a statement settled it. Returns false if it is not open. */
export const closeFinding = statement<{ id: string }>(
  'close_finding',
  `update world.statement_findings set closed_at = $3, closed_by = $4, why = $5
   where account_id = $1 and id = $2 and closed_at is null returning id`,
).some(
  (
    { accountId, id }: { accountId: string; id: string },
    { at, by, why }: { at: Date; by: string | null; why: string | null },
  ) => [accountId, id, at, by, why],
)

/** Closes open differences about lines that are no longer on any statement. Returns how many. */
export const closeGoneFindings = statement<{ id: string }>(
  'close_gone_findings',
  `update world.statement_findings f set closed_at = $2
   where f.account_id = $1 and f.closed_at is null and f.payment_id is null and not exists (
     select from world.statement_lines l where l.account_id = f.account_id and l.line_id = f.line_id)
   returning id`,
).count((accountId: string, now: Date) => [accountId, now])

/** Marks what a person has decided about lines that went. Returns how many differences. */
export const markDecidedFindings = statement<{ id: string }>(
  'mark_decided_findings',
  `update world.statement_findings f set withdrawn_at = $3
   where f.account_id = $1 and f.closed_by is not null and f.withdrawn_at is null and f.line_id = any($2) returning id`,
).count((accountId: string, gone: { lineId: string }[], now: Date) => [
  accountId,
  gone.map(({ lineId }) => lineId),
  now,
])
