/** Orders of which providers or buyers have told after a restore, and which the database does not have. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('unknown_orders', [
  /** Empty where a buyer came back. */
  'accountId',
  'reference',
  'source',
  'state',
  'providerAnswer',
  'reportCount',
  'firstReportedAt as firstAt',
  'lastReportedAt as lastAt',
])
export type UnknownOrderRecord = RecordOf<'unknown_orders', typeof FIELDS> & {
  /** The payment that has this order now, because the merchant has repeated the request. */
  paymentId: string | null
}

const COLUMNS = selected(FIELDS, 'u')

/** More than this are not stored, because anybody can make up addresses to which buyers return. */
const RETURNS_MAX = 1_000

export const noteUnknownOrder = statement<{ report_count: number }>(
  'note_unknown_order',
  `insert into world.unknown_orders (account_id, reference, source, state, provider_answer, first_reported_at, last_reported_at)
   select $1, $2, $3, $4, $5, $6, $6
   where $3 <> 'return' or (select count(*) from world.unknown_orders where source = 'return') < ${RETURNS_MAX}
   on conflict (account_id, reference) do update set report_count = unknown_orders.report_count + 1,
     last_reported_at = excluded.last_reported_at,
     state = coalesce(excluded.state, unknown_orders.state), provider_answer = coalesce(excluded.provider_answer, unknown_orders.provider_answer)
   returning report_count`,
).run(
  ({
    accountId,
    reference,
    source,
    state,
    providerAnswer,
    at,
  }: Pick<UnknownOrderRecord, 'accountId' | 'reference' | 'source' | 'state' | 'providerAnswer'> & {
    at: Date
  }) => {
    const json = [state, providerAnswer].map((value) => (value == null ? null : JSON.stringify(value)))
    return [accountId, reference, source, json[0], json[1], at]
  },
)

export const listUnknownOrders = statement<UnknownOrderRecord>(
  'list_unknown_orders',
  `select ${COLUMNS}, (
       select min(a.payment_id) from world.attempts a
       where a.reference = u.reference and (u.account_id = '' or a.account_id = u.account_id)) as "paymentId"
   from world.unknown_orders u order by u.first_reported_at, u.reference limit $1`,
).all((limit: number) => [limit])

/** Returns the payment that has an order of this reference, at any account. */
export const findPaymentByReference = statement<{ paymentId: string }>(
  'find_payment_by_reference_alone',
  `select a.payment_id as "paymentId" from world.accounts c
     join world.attempts a on a.account_id = c.id and a.reference = $1 limit 1`,
).value('paymentId', null, (reference: string) => [reference])

/** Returns what a driver finds this order with, if a verified callback has told it. */
export const findUnknownOrderState = statement<{ state: unknown }>(
  'find_state_of_unknown_order',
  'select state from world.unknown_orders where account_id = $1 and reference = $2',
).value('state', null, (accountId: string, reference: string) => [accountId, reference])
