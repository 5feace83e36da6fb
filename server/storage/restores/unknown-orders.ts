/** Orders of which providers or buyers have told after a restore, and which the database does not have. */
import { type Queryable, statement } from '../db.ts'

export type UnknownOrderRecord = {
  /** Empty where a buyer came back. */
  accountId: string
  reference: string
  heardFrom: 'callback' | 'return'
  state: unknown
  said: unknown
  times: number
  firstAt: Date
  lastAt: Date
  /** The payment that has this order now, because the merchant has repeated the request. */
  paymentId: string | null
}

/** More than this are not stored, because anybody can make up addresses to which buyers return. */
const RETURNS_MAX = 1_000

const note = statement<{ times: number }>(
  'note_unknown_order',
  `insert into world.unknown_orders (account_id, reference, heard_from, state, said, first_at, last_at)
   select $1, $2, $3, $4, $5, $6, $6
   where $3 <> 'return' or (select count(*) from world.unknown_orders where heard_from = 'return') < ${RETURNS_MAX}
   on conflict (account_id, reference) do update set times = unknown_orders.times + 1, last_at = excluded.last_at,
     state = coalesce(excluded.state, unknown_orders.state), said = coalesce(excluded.said, unknown_orders.said)
   returning times`,
)
const list = statement<UnknownOrderRecord>(
  'list_unknown_orders',
  `select u.account_id as "accountId", u.reference, u.heard_from as "heardFrom", u.state, u.said, u.times, u.first_at as "firstAt",
     u.last_at as "lastAt", (
       select min(a.payment_id) from world.attempts a
       where a.reference = u.reference and (u.account_id = '' or a.account_id = u.account_id)) as "paymentId"
   from world.unknown_orders u order by u.first_at, u.reference limit $1`,
)
const byReference = statement<{ paymentId: string }>(
  'find_payment_by_reference_alone',
  `select a.payment_id as "paymentId" from world.accounts c
     join world.attempts a on a.account_id = c.id and a.reference = $1 limit 1`,
)
const stateOf = statement<{ state: unknown }>(
  'find_state_of_unknown_order',
  'select state from world.unknown_orders where account_id = $1 and reference = $2',
)

export async function noteUnknownOrder(
  db: Queryable,
  {
    accountId,
    reference,
    heardFrom,
    state,
    said,
    at,
  }: Pick<UnknownOrderRecord, 'accountId' | 'reference' | 'heardFrom' | 'state' | 'said'> & { at: Date },
): Promise<void> {
  const json = [state, said].map((value) => (value == null ? null : JSON.stringify(value)))
  await note(db, [accountId, reference, heardFrom, json[0], json[1], at])
}

export async function listUnknownOrders(db: Queryable, limit: number): Promise<UnknownOrderRecord[]> {
  return list(db, [limit])
}

/** Returns the payment that has an order of this reference, at any account. */
export async function findPaymentByReference(db: Queryable, reference: string): Promise<string | null> {
  return (await byReference(db, [reference]))[0]?.paymentId ?? null
}

/** Returns what a driver finds this order with, if a verified callback has told it. */
export async function findUnknownOrderState(
  db: Queryable,
  accountId: string,
  reference: string,
): Promise<unknown> {
  return (await stateOf(db, [accountId, reference]))[0]?.state ?? null
}
