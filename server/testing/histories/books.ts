/** The service's own books as they are stored, for comparison with those of the providers. */
import type { Db } from '../../storage/db.ts'

export type Row = {
  id: string
  merchant_id: string
  status: string
  version: number
  attempt: number
  amount_minor: number
  currency: string
  authorized_minor: number
  captured_minor: number
  refunded_minor: number
  fiscal_status: string
  single_attempt: boolean
  expires_at: string
  attempts: { number: number; provider: string; reference: string; state: string; account_id: string }[]
  operations: {
    id: string
    type: string
    cause: 'request' | 'service'
    attempt: number | null
    status: string
    amount_minor: number
    reverted_at: string | null
    sent_at: string | null
    status_reason: string | null
  }[]
  receipts: { id: string; kind: string; status: string; amount_minor: number }[]
  prints: { kind: string; amount: number; reference: string }[]
  warnings: string[]
  mails: { kind: string; amount_minor: number }[]
  events: { sequence: number; status: string; captured: number; refunded: number }[]
  /** The sums of the entries of each attempt, by kind. Those in another currency are left out. */
  entries: { attempt: number; kind: string; minor: number }[]
  versions: { version: number; status: string; authorized: number; captured: number; refunded: number }[]
}

const listOf = (columns: string, rest: string) =>
  `coalesce((select jsonb_agg(to_jsonb(t)) from (select ${columns} ${rest}) t), '[]')`

const ALL = `select p.*,
  ${listOf('number, provider, reference, state, account_id', 'from sandbox.attempts where payment_id = p.id order by number')} as attempts,
  ${listOf('id, type, cause, attempt, status, amount_minor, reverted_at, sent_at, status_reason', 'from sandbox.operations where payment_id = p.id order by id')} as operations,
  ${listOf('id, kind, status, amount_minor', 'from sandbox.receipts where payment_id = p.id order by id')} as receipts,
  ${listOf(
    "r.kind, (s.body ->> 'amountMinor')::bigint as amount, s.reference",
    'from sandbox.sandbox_receipts s join sandbox.receipts r on r.id = s.reference where r.payment_id = p.id and s.number is not null order by s.number',
  )} as prints,
  coalesce((select jsonb_agg(detail) from sandbox.payment_warnings where payment_id = p.id), '[]') as warnings,
  ${listOf('kind, amount_minor', 'from sandbox.mails where payment_id = p.id')} as mails,
  ${listOf(
    `sequence, body::jsonb #>> '{payment,status}' as status, (body::jsonb #>> '{payment,capturedMinor}')::bigint as captured,
     (body::jsonb #>> '{payment,refundedMinor}')::bigint as refunded`,
    'from sandbox.events where payment_id = p.id order by sequence',
  )} as events,
  ${listOf('attempt, kind, sum(amount_minor)::bigint as minor', 'from sandbox.entries e where payment_id = p.id and e.currency::text = p.currency::text group by 1, 2')} as entries,
  ${listOf('version, status, authorized, captured, refunded', 'from model.versions where payment_id = p.id order by version')} as versions
  from sandbox.payments p order by p.id`

export async function readBooks(look: Db): Promise<Row[]> {
  return (await look.query<Row>({ name: 'model.books', text: ALL })).rows
}

export type ChargeRow = {
  subscription_id: string
  period: number
  attempt: number
  payment_id: string
  state: string
  sent_at: Date | null
  status: string
  reference: string
  provider: string
  subscription: string
  cancel_reason: string | null
}

export async function readCharges(look: Db): Promise<ChargeRow[]> {
  const { rows } = await look.query<ChargeRow>(
    `select c.subscription_id, c.period, c.attempt, c.payment_id, c.state, c.sent_at, p.status, a.reference, a.provider,
       s.status as subscription, s.cancel_reason
     from sandbox.subscription_charges c join sandbox.payments p on p.id = c.payment_id
     join sandbox.attempts a on a.payment_id = p.id join sandbox.subscriptions s on s.id = c.subscription_id
     order by c.subscription_id, c.period, c.attempt`,
  )
  return rows
}
