/** The search rows of payments, and how far they are written. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { NamedPayment } from '../payments/payment.ts'
import { WORDS } from '../rows.ts'

export type SearchSource = {
  merchantId: string
  paymentId: string
  version: number
  createdAt: Date
  merchantOrderId: string
  amountMinor: number
  capturedMinor: number
  customer: { email?: string; phone?: string; name?: string } | null
  /** Our references and the facts of each attempt, the provider's ids of each movement, and the bank references of people. */
  attempts: { reference: string; facts: unknown }[]
  providerIds: string[]
  details: string[]
}

const ROW = fieldsOf('payment_search', ['paymentId', 'merchantId', 'version', 'amountMinor', 'createdAt'])
export type SearchRow = RecordOf<'payment_search', typeof ROW> & { words: string[] }
export const SEARCH_ROW = selected(ROW, 's')

export const POSITIONS = WORDS['search_positions.name']
export type PositionName = (typeof POSITIONS)[number]

// The worker that holds the row writes the batch. Another worker finds it locked and does something else.
const claim = statement<{ position: string }>(
  'claim_search_position',
  'select position from world.search_positions where name = $1 for update skip locked',
)
const lockAll = statement(
  'lock_search_positions',
  'select from world.search_positions order by name for update',
)
const advance = statement(
  'advance_search_position',
  'update world.search_positions set position = $2 where name = $1 and position < $2',
)
const changed = statement<{ position: string; merchantId: string; id: string }>(
  'list_events_to_search',
  `select id as position, merchant_id as "merchantId", payment_id as id from world.events
   where id > $1 and id < $2 order by id limit $3`,
)
const created = statement<{ position: string; merchantId: string; id: string }>(
  'list_payments_to_search',
  `select id as position, merchant_id as "merchantId", id from world.payments where id > $1 and id < $2 order by id limit $3`,
)
const newest = statement<{ merchantId: string; id: string }>(
  'list_newest_payments',
  'select merchant_id as "merchantId", id from world.payments where id > $1 order by id desc limit $2',
)
const sources = statement<SearchSource>(
  'list_search_sources',
  `with named as (select * from json_to_recordset($1::json) as named("merchantId" text, id text) limit (select json_array_length($1::json)))
   select p.merchant_id as "merchantId", p.id as "paymentId", p.version, p.created_at as "createdAt",
     p.merchant_order_id as "merchantOrderId", p.amount_minor as "amountMinor", p.captured_minor as "capturedMinor", p.customer,
     (select coalesce(json_agg(json_build_object('reference', a.reference, 'facts', a.facts)), '[]') from world.attempts a
      where a.merchant_id = p.merchant_id and a.payment_id = p.id) as attempts,
     array(select e.provider_id from world.entries e
      where e.merchant_id = p.merchant_id and e.payment_id = p.id and e.provider_id is not null) as "providerIds",
     array(select c.detail from world.payment_changes c
      where c.merchant_id = p.merchant_id and c.payment_id = p.id and c.cause = 'operator' and c.detail is not null) as details
   from named join world.payments p on p.merchant_id = named."merchantId" and p.id = named.id
     left join world.payment_search s on s.payment_id = p.id
   where $2 or s.version is distinct from p.version`,
)
const write = statement(
  'write_search_rows',
  `insert into world.payment_search (payment_id, merchant_id, version, amount_minor, created_at, words)
   select "paymentId", "merchantId", version, "amountMinor", "createdAt", array_to_tsvector(words)
   from json_to_recordset($1::json) as input("paymentId" text, "merchantId" text, version integer, "amountMinor" bigint,
     "createdAt" timestamptz, words text[])
   on conflict (payment_id) do update set version = excluded.version, words = excluded.words
     where payment_search.version <= excluded.version`,
)
const drop = statement<NamedPayment>(
  'drop_search_rows',
  'delete from world.payment_search where payment_id = any($1) returning merchant_id as "merchantId", payment_id as id',
)
export async function claimSearchPosition(tx: Queryable, name: PositionName): Promise<string | null> {
  return (await claim(tx, [name]))[0]?.position ?? null
}

/** Waits for each process that writes rows. Until the end of the transaction no other one begins. */
export async function lockSearchPositions(tx: Queryable): Promise<void> {
  await lockAll(tx, [])
}

export async function advanceSearchPosition(tx: Queryable, name: PositionName, to: string): Promise<void> {
  await advance(tx, [name, to])
}

type Range = { after: string; before: string; limit: number }

/** Payments by the events of their changes, or by their own ids, with the position of each. */
export async function listToSearch(
  db: Queryable,
  by: 'events' | 'payments',
  { after, before, limit }: Range,
): Promise<(NamedPayment & { position: string })[]> {
  return (by === 'events' ? changed : created)(db, [after, before, limit])
}

/** The newest payments from this id on. */
export async function listNewest(db: Queryable, fromId: string, limit: number): Promise<NamedPayment[]> {
  return newest(db, [fromId, limit])
}

/** What the rows of these payments are made of. `all`: of those too whose row is of their present version. */
export async function listSearchSources(
  db: Queryable,
  payments: NamedPayment[],
  { all }: { all: boolean },
): Promise<SearchSource[]> {
  return payments.length === 0 ? [] : sources(db, [JSON.stringify(payments), all])
}

export async function writeSearchRows(db: Queryable, rows: SearchRow[]): Promise<void> {
  if (rows.length > 0) await write(db, [JSON.stringify(rows)])
}

/** Returns the payments that had a row. */
export async function deleteSearchRows(db: Queryable, paymentIds: string[]): Promise<NamedPayment[]> {
  return drop(db, [paymentIds])
}
