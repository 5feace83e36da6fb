/** Where each kind of case is found. An index of each has only such rows, in the order of the desk. */
import { PROPOSAL_DAYS_MAX } from '../audit/proposals.ts'

export const CASE_KINDS = [
  'undecided',
  'disputed',
  'operation',
  'receipt',
  'warning',
  'refund_limit',
  'difference',
  'callback_paused',
  'events_given_up',
  'account',
  'approval',
  'restore',
] as const
export type CaseKind = (typeof CASE_KINDS)[number]

/**
 * `table`: with its alias. `open`: which rows the index has. `ofMerchant`: the merchant, where a second index has the rows of one
 * together. Elsewhere `mine` and `lists` leave out those of other merchants than `$2`. `lists`: which of the rows that are looked at
 * are a case. `since`, `amount`, `subject` and `account` are the position, in the words of the index.
 * `what`, `stake`: computed for the cases of a page only. `stake`: the sum that is shown, where the index has another one.
 */
export type Source = {
  table: string
  alias: string
  open: string
  ofMerchant?: string
  mine?: string
  lists?: string
  position?: string
  subject: string
  since: string
  merchant?: string
  payment?: string
  account?: string
  amount?: string
  currency?: string
  what: string
  stake?: string
}

const LAST_CHANGE = `(select coalesce(c.detail, '') from world.payment_changes c
  where c.merchant_id = page.merchant_id and c.payment_id = page.subject order by c.version desc limit 1)`

const PAYMENTS = {
  table: 'world.payments p',
  alias: 'p',
  ofMerchant: 'p.merchant_id',
  subject: 'p.id',
  merchant: 'p.merchant_id',
  payment: 'p.id',
  since: 'p.updated_at',
  amount: 'p.amount_minor',
  currency: 'p.currency',
  what: LAST_CHANGE,
  position: `kassa.desk_position(p.updated_at, p.amount_minor, case p.status when 'disputed' then 'disputed' else 'undecided' end, '', p.id)`,
}

/** The shops with events that were given up, each found by one look into the index, and the first event of each. */
const givenUp = (shops: string) => `(with recursive shops as (${shops})
  select first.* from shops cross join lateral (
    select e.merchant_id, e.created_at from world.events e
    where e.merchant_id = shops.merchant_id and e.state = 'exhausted' and e.body <> '' order by e.id limit 1) first) e`
const NEXT_SHOP = `select e.merchant_id from world.events e where e.state = 'exhausted'`

export const SOURCES: Record<CaseKind, Source> = {
  undecided: { ...PAYMENTS, open: `p.status = 'status_unknown'` },
  // Nearly all disputes are about the whole payment, and its amount is beside its status.
  disputed: {
    ...PAYMENTS,
    open: `p.status = 'disputed'`,
    stake: `(select a.disputed_minor from world.payments p join world.attempts a
      on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.number = p.attempt where p.id = page.subject)`,
  },
  operation: {
    table: 'world.operations o',
    alias: 'o',
    ofMerchant: 'o.merchant_id',
    open: `o.status = 'requires_operator_review'`,
    subject: 'o.id',
    merchant: 'o.merchant_id',
    payment: 'o.payment_id',
    since: 'o.updated_at',
    amount: 'o.amount_minor',
    currency: 'o.currency',
    what: `(select concat_ws(': ', o.type, o.status_reason) from world.operations o where o.id = page.subject)`,
  },
  receipt: {
    table: 'world.receipts r',
    alias: 'r',
    ofMerchant: 'r.merchant_id',
    open: `r.status in ('failed', 'unclear')`,
    subject: 'r.id',
    merchant: 'r.merchant_id',
    payment: 'r.payment_id',
    since: 'r.updated_at',
    amount: 'r.amount_minor',
    currency: 'r.currency',
    what: `(select concat_ws(': ', r.status, r.status_reason) from world.receipts r where r.id = page.subject)`,
  },
  // The first open warning of a payment represents all of them. A difference that names the payment is a warning too. It is one case.
  warning: {
    table: 'world.payment_warnings w',
    alias: 'w',
    ofMerchant: 'w.merchant_id',
    open: 'w.settled_at is null',
    lists: `not exists (
        select from world.payment_warnings first
        where first.merchant_id = w.merchant_id and first.payment_id = w.payment_id and first.settled_at is null
          and (first.created_at, first.detail) < (w.created_at, w.detail))
      and not exists (
        select from world.statement_findings f
        where f.merchant_id = w.merchant_id and f.payment_id = w.payment_id and f.closed_at is null)`,
    subject: 'w.payment_id',
    merchant: 'w.merchant_id',
    payment: 'w.payment_id',
    since: 'w.created_at',
    amount: 'w.amount_minor',
    currency:
      '(select p.currency from world.payments p where p.merchant_id = w.merchant_id and p.id = w.payment_id)',
    stake: '(select p.amount_minor from world.payments p where p.id = page.subject)',
    what: `(select string_agg(w.detail, '; ' order by w.created_at) from world.payment_warnings w
      where w.merchant_id = page.merchant_id and w.payment_id = page.subject and w.settled_at is null)`,
  },
  difference: {
    table: 'world.statement_findings f',
    alias: 'f',
    ofMerchant: 'f.merchant_id',
    open: 'f.closed_at is null',
    subject: 'f.id',
    merchant: 'f.merchant_id',
    payment: 'f.payment_id',
    account: 'f.account_id',
    since: 'f.found_at',
    amount: 'greatest(abs(f.ours_minor), abs(f.theirs_minor))',
    currency: 'f.currency',
    what: `(select f.kind || ', ' || f.side from world.statement_findings f where f.account_id = page.account_id and f.id = page.subject)`,
  },
  refund_limit: {
    table: 'world.refund_refusals l',
    alias: 'l',
    ofMerchant: 'l.merchant_id',
    open: 'l.settled_at is null',
    // The calls of a token that works no more ask nobody for a higher limit.
    lists: `not exists (select from world.api_keys k
      where k.id = l.token_id and (k.revoked_at is not null or k.expires_at <= $5))`,
    subject: 'l.token_id',
    merchant: 'l.merchant_id',
    payment: 'l.payment_id',
    since: 'l.since',
    amount: 'l.amount_minor',
    currency: 'l.currency',
    what: `(select l.calls || ' calls were refused' from world.refund_refusals l where l.token_id = page.subject)`,
  },
  callback_paused: {
    table: 'world.receivers r',
    alias: 'r',
    mine: 'r.merchant_id = $2',
    open: 'r.paused_at is not null',
    subject: 'r.merchant_id',
    merchant: 'r.merchant_id',
    since: 'r.paused_at',
    what: `'its callback URL has failed for days'`,
  },
  events_given_up: {
    table: givenUp(`(${NEXT_SHOP} order by e.merchant_id limit 1) union all
      select (${NEXT_SHOP} and e.merchant_id > shops.merchant_id order by e.merchant_id limit 1)
      from shops where shops.merchant_id is not null`),
    alias: 'e',
    mine: 'e.merchant_id = $2',
    open: 'true',
    subject: 'e.merchant_id',
    merchant: 'e.merchant_id',
    since: 'e.created_at',
    what: `(select count(*) || ' events were not accepted' from world.events e where e.merchant_id = page.subject and e.state = 'exhausted' and e.body <> '')`,
  },
  account: {
    table: 'world.account_health h',
    alias: 'h',
    open: `h.state <> 'ok'`,
    lists: `exists (select from world.accounts a where a.id = h.account_id and a.retired_at is null
      and ($2::text is null or a.owner = $2))`,
    subject: 'h.account_id',
    account: 'h.account_id',
    since: 'h.since',
    merchant: '(select a.owner from world.accounts a where a.id = h.account_id)',
    what: `(select h.state || ': ' || h.reason from world.account_health h where h.account_id = page.subject)`,
  },
  approval: {
    table: 'kassa.proposals q',
    alias: 'q',
    // Those that have expired stay open. No proposal waits longer than this.
    open: `q.state = 'open' and q.world = $6 and kassa.desk_position(q.proposed_at, null, 'approval', '', q.id) collate "C"
      >= to_char(($5::timestamptz - interval '${PROPOSAL_DAYS_MAX} days') at time zone 'UTC', 'YYYYMMDD')`,
    lists: `q.expires_at > $5 and ($2::text is null or q.merchant_id = $2)`,
    subject: 'q.id',
    merchant: 'q.merchant_id',
    since: 'q.proposed_at',
    what: `(select q.what || ' ' || q.about from kassa.proposals q where q.id = page.subject)`,
  },
  restore: {
    table: 'world.restores s',
    alias: 's',
    mine: 'false',
    open: 's.ended_at is null',
    subject: `to_char(s.restored_at at time zone 'UTC', 'YYYY-MM-DD')`,
    since: 's.restored_at',
    what: `'refunds and renewals wait after a restore'`,
  },
}

/** The shop is known, so only its own first event is looked for. `parameter`: its id. */
const sourcesOf = (parameter: string): Record<CaseKind, Source> => ({
  ...SOURCES,
  events_given_up: { ...SOURCES.events_given_up, table: givenUp(`select ${parameter}::text as merchant_id`) },
})
export const SOURCES_OF_MERCHANT = sourcesOf('$2')
export const SOURCES_OF_ONE = sourcesOf('$1')
