/** Everything that waits for a person. Each source reads an index that has only such rows. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { type Db, statement } from '../db.ts'

export const CASE_KINDS = [
  'undecided',
  'disputed',
  'operation',
  'receipt',
  'warning',
  'difference',
  'callback_paused',
  'events_given_up',
  'account',
  'approval',
  'restore',
] as const
export type CaseKind = (typeof CASE_KINDS)[number]

/** `subject`: the id of what the kind names. `what`: what happened, in the words of whoever has stored it. */
export type CaseRecord = {
  kind: CaseKind
  subject: string
  merchantId: string | null
  merchantName: string | null
  paymentId: string | null
  accountId: string | null
  since: Date
  /** What is at stake; null where no sum is known. */
  amountMinor: number | null
  currency: CurrencyCode | null
  what: string | null
}

/** One page looks at no more cases of one kind than this. */
export const CASES_OF_A_KIND_MAX = 10_000

type Source = {
  subject: string
  from: string
  since: string
  merchant?: string
  payment?: string
  account?: string
  amount?: string
  currency?: string
  what: string
}

const LAST_CHANGE = `(select coalesce(c.detail, '') from world.payment_changes c
  where c.merchant_id = page.merchant_id and c.payment_id = page.subject order by c.version desc limit 1)`

/** `what` is computed for the cases of the page only. Other columns are computed for all. */
const SOURCES: Record<CaseKind, Source> = {
  undecided: {
    ...{ subject: 'p.id', merchant: 'p.merchant_id', payment: 'p.id', since: 'p.updated_at' },
    ...{ from: `world.payments p where p.status = 'status_unknown'`, what: LAST_CHANGE },
    ...{ amount: 'p.amount_minor', currency: 'p.currency' },
  },
  disputed: {
    ...{
      subject: 'p.id',
      merchant: 'p.merchant_id',
      payment: 'p.id',
      since: 'p.updated_at',
      what: LAST_CHANGE,
    },
    from: `world.payments p join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.number = p.attempt
      where p.status = 'disputed'`,
    ...{ amount: 'a.disputed_minor', currency: 'p.currency' },
  },
  operation: {
    ...{ subject: 'o.id', merchant: 'o.merchant_id', payment: 'o.payment_id', since: 'o.updated_at' },
    from: `world.operations o where o.status = 'requires_operator_review'`,
    ...{ amount: 'o.amount_minor', currency: 'o.currency' },
    what: `(select concat_ws(': ', o.type, o.status_reason) from world.operations o where o.id = page.subject)`,
  },
  receipt: {
    ...{ subject: 'r.id', merchant: 'r.merchant_id', payment: 'r.payment_id', since: 'r.updated_at' },
    from: `world.receipts r where r.status in ('failed', 'unclear')`,
    ...{ amount: 'r.amount_minor', currency: 'r.currency' },
    what: `(select concat_ws(': ', r.status, r.status_reason) from world.receipts r where r.id = page.subject)`,
  },
  // A difference that names a payment is a warning of that payment too. It is one case.
  warning: {
    ...{ subject: 'p.id', merchant: 'p.merchant_id', payment: 'p.id', since: 'min(w.created_at)' },
    from: `world.payment_warnings w join world.payments p on p.merchant_id = w.merchant_id and p.id = w.payment_id
      where w.settled_at is null and not exists (
        select from world.statement_findings f
        where f.merchant_id = w.merchant_id and f.payment_id = w.payment_id and f.closed_at is null)
      group by p.merchant_id, p.id`,
    ...{ amount: 'min(p.amount_minor)', currency: 'min(p.currency)' },
    what: `(select string_agg(w.detail, '; ' order by w.created_at) from world.payment_warnings w
      where w.merchant_id = page.merchant_id and w.payment_id = page.subject and w.settled_at is null)`,
  },
  difference: {
    ...{ subject: 'f.id', merchant: 'f.merchant_id', payment: 'f.payment_id', account: 'f.account_id' },
    ...{ since: 'f.found_at', from: 'world.statement_findings f where f.closed_at is null' },
    ...{ amount: 'greatest(abs(f.ours_minor), abs(f.theirs_minor))', currency: 'f.currency' },
    what: `(select f.kind || ', ' || f.side from world.statement_findings f where f.account_id = page.account_id and f.id = page.subject)`,
  },
  callback_paused: {
    ...{ subject: 'r.merchant_id', merchant: 'r.merchant_id', since: 'r.paused_at' },
    ...{
      from: 'world.receivers r where r.paused_at is not null',
      what: `'its callback URL has failed for days'`,
    },
  },
  events_given_up: {
    ...{ subject: 'e.merchant_id', merchant: 'e.merchant_id', since: 'min(e.created_at)' },
    ...{ from: `world.events e where e.state = 'exhausted' and e.body <> '' group by e.merchant_id` },
    what: `(select count(*) || ' events were not accepted' from world.events e where e.merchant_id = page.subject and e.state = 'exhausted' and e.body <> '')`,
  },
  account: {
    ...{ subject: 'h.account_id', merchant: 'a.owner', account: 'h.account_id', since: 'h.since' },
    from: `world.account_health h join world.accounts a on a.id = h.account_id where h.state <> 'ok' and a.retired_at is null`,
    what: `(select h.state || ': ' || h.reason from world.account_health h where h.account_id = page.subject)`,
  },
  approval: {
    ...{ subject: 'q.id', merchant: 'q.merchant_id', since: 'q.proposed_at' },
    from: `kassa.proposals q where q.state = 'open' and q.world = $6 and q.expires_at > $5`,
    what: `(select q.what || ' ' || q.about from kassa.proposals q where q.id = page.subject)`,
  },
  restore: {
    ...{ subject: `to_char(s.restored_at at time zone 'UTC', 'YYYY-MM-DD')`, since: 's.restored_at' },
    ...{
      from: 'world.restores s where s.ended_at is null',
      what: `'refunds and renewals wait after a restore'`,
    },
  },
}

const DAY = `to_char(since at time zone 'UTC', 'YYYYMMDD')`
const POSITION = `${DAY} || lpad((1000000000000000 - coalesce(amount, 0))::text, 16, '0')
  || kind || ' ' || coalesce(account_id, '') || ' ' || subject`
const casesOf = ([kind, source]: [string, Source]) =>
  `(select '${kind}' as kind, ${source.subject} as subject, ${source.merchant ?? 'null::text'} as merchant_id,
     ${source.payment ?? 'null::text'} as payment_id, ${source.account ?? 'null::text'} as account_id, ${source.since} as since,
     ${source.amount ?? 'null::bigint'} as amount, ${source.currency ?? 'null'}::text as currency
   from ${source.from}) of_kind
   where ($2::text is null or merchant_id = $2) and ($3::text is null or $3 = '${kind}')`
// The oldest of each kind. The merchant, the kind and the first day of the page are asked for before the limit, so that other cases do
// not push theirs out.
const rowsOf = (each: [string, Source]) =>
  `(select * from ${casesOf(each)} and ${DAY} >= left($1, 8) collate "C" order by since limit ${CASES_OF_A_KIND_MAX + 1})`
const ROWS = Object.entries(SOURCES).map(rowsOf).join('\n union all ')
const WHAT = Object.entries(SOURCES)
  .map(([kind, { what }]) => `when '${kind}' then ${what}`)
  .join('\n ')
const COLUMNS = `kind, subject, merchant_id as "merchantId", m.name as "merchantName", payment_id as "paymentId",
  account_id as "accountId", since, amount as "amountMinor", currency, position, case kind ${WHAT} end as what`

/** `position`: where the case stands on the desk. Positions sort as texts. */
export type PlacedCase = CaseRecord & { position: string }
export type ListedCase = PlacedCase & {
  /** Kinds of which there are more than CASES_OF_A_KIND_MAX from the first day of the page on. */
  cutKinds: CaseKind[]
}
const list = statement<ListedCase>(
  'list_desk_cases',
  `with cases as (
     select *, ${POSITION} as position from (${ROWS}) found
   ), page as (
     select * from cases
     where position collate "C" > $1 order by position collate "C" limit $4
   )
   select ${COLUMNS},
     array(select kind from cases group by kind having count(*) > ${CASES_OF_A_KIND_MAX} order by kind) as "cutKinds"
   from page left join kassa.merchants m on m.id = page.merchant_id order by position collate "C"`,
)

const ONE = Object.entries(SOURCES)
  .map((each) => `select * from ${casesOf(each)} and subject = $1 and ($4::text is null or account_id = $4)`)
  .join('\n union all ')
const find = statement<PlacedCase>(
  'find_desk_case',
  `with page as (select *, ${POSITION} as position from (${ONE}) found limit 1)
   select ${COLUMNS} from page left join kassa.merchants m on m.id = page.merchant_id`,
)
// Grouping reads every event that was given up, and every open warning. Counting looks for one of each merchant or payment, and stops
// when there are enough.
const COUNTED: Record<CaseKind, Source> = {
  ...SOURCES,
  warning: {
    ...{ subject: 'p.id', merchant: 'p.merchant_id', since: 'w.created_at', what: 'null' },
    from: `world.payment_warnings w join world.payments p on p.merchant_id = w.merchant_id and p.id = w.payment_id
      where w.settled_at is null and not exists (
        select from world.payment_warnings first
        where first.merchant_id = w.merchant_id and first.payment_id = w.payment_id and first.settled_at is null
          and first.detail < w.detail)
      and not exists (
        select from world.statement_findings f
        where f.merchant_id = w.merchant_id and f.payment_id = w.payment_id and f.closed_at is null)`,
  },
  events_given_up: {
    ...{ subject: 'm.id', merchant: 'm.id', since: 'm.created_at', what: 'null' },
    from: `kassa.merchants m where exists (
      select from world.events e where e.merchant_id = m.id and e.state = 'exhausted' and e.body <> '')`,
  },
}
// The parameters have the numbers that they have in the list.
const COUNTS = Object.entries(COUNTED)
  .map(
    (each) =>
      `select '${each[0]}' as kind, (select count(*)::int from (select 1 from ${casesOf(each)} limit $4) first) as count`,
  )
  .join('\n union all ')
const count = statement<{ kind: CaseKind; count: number }>(
  'count_desk_cases',
  `select kind, count from (${COUNTS}) counted where count > 0 and $1::text is not null`,
)

type Of = { merchantId: string | null; now: Date }

/** `accountId`: of a difference, whose id belongs to its account. Returns null for what waits for nobody, or not for this merchant. */
export async function findCase(
  db: Db,
  {
    kind,
    subject,
    accountId,
    merchantId,
    now,
  }: Of & { kind: CaseKind; subject: string; accountId: string | null },
): Promise<PlacedCase | null> {
  return (await find(db, [subject, merchantId, kind, accountId, now, db.world]))[0] ?? null
}

/** How many cases of each kind wait, counted up to `most`. A kind without a case is left out. */
export async function countCases(
  db: Db,
  { merchantId, now, most }: Of & { most: number },
): Promise<{ kind: CaseKind; count: number }[]> {
  return count(db, ['', merchantId, null, most, now, db.world])
}

/**
 * The oldest days first, and of one day the largest sums first. `after`: the position of the last case of the page before. `now`: in
 * real time.
 */
export async function listCases(
  db: Db,
  {
    after,
    merchantId,
    kind,
    limit,
    now,
  }: { after: string; merchantId: string | null; kind: CaseKind | null; limit: number; now: Date },
): Promise<ListedCase[]> {
  return list(db, [after, merchantId, kind, limit, now, db.world])
}
