/**
 * Writes what a service without Kassa's guarantees would write for one payment: the payment, its idempotency key and an outbox row.
 * The tables have only primary keys, and the rows are as wide as Kassa's.
 */
import type pg from 'pg'

/** What a baseline stores for each request. */
type Stores = 'null' | 'tx' | 'cte'
export type Baseline = Stores | 'read'

/** One payment to store. `body`: the JSON of the response, which the outbox row contains. */
export type Row = {
  id: string
  orderId: string
  amountMinor: number
  currency: string
  returnUrl: string
  customer: string
  metadata: string
  checkoutUrl: string
  key: string
  digest: string
  body: string
  at: Date
  expiresAt: Date
}

const MERCHANT = `mer_01k9base${'0'.repeat(28)}`

export const BASELINE_SCHEMA = ['tx', 'cte']
  .map(
    (name) => `
  create schema baseline_${name};
  create table baseline_${name}.payments (
    merchant_id text not null, id text not null, order_id text not null, provider text not null, reference text not null,
    amount_minor bigint not null, currency text not null, status text not null, return_url text not null,
    customer jsonb, metadata jsonb, checkout_url text not null, expires_at timestamptz not null,
    created_at timestamptz not null, updated_at timestamptz not null, primary key (merchant_id, id));
  create table baseline_${name}.keys (
    merchant_id text not null, scope text not null, key text not null, digest text not null, payment_id text not null,
    created_at timestamptz not null, primary key (merchant_id, scope, key));
  create table baseline_${name}.outbox (
    merchant_id text not null, payment_id text not null, sequence integer not null, status text not null,
    body text not null, created_at timestamptz not null, primary key (merchant_id, payment_id, sequence));`,
  )
  .join('\n')

const insertPayment = (
  schema: string,
) => `insert into ${schema}.payments (merchant_id, id, order_id, provider, reference,
    amount_minor, currency, status, return_url, customer, metadata, checkout_url, expires_at, created_at, updated_at)
  values ($1, $2, $3, 'route_a', $4, $5, $6, 'pending_redirect', $7, $8, $9, $10, $11, $12, $12)`
const insertKey = (schema: string, [merchant, key, digest, id, at]: string[]) =>
  `insert into ${schema}.keys (merchant_id, scope, key, digest, payment_id, created_at)
  values (${merchant}, 'POST /v1/payment-sessions', ${key}, ${digest}, ${id}, ${at})`
const insertOutbox = (schema: string, [merchant, id, body, at]: string[]) =>
  `insert into ${schema}.outbox (merchant_id, payment_id, sequence, status, body, created_at)
  values (${merchant}, ${id}, 1, 'pending_redirect', ${body}, ${at})`

const PLACES = ['$1', '$2', '$3', '$4', '$5']
const TX = {
  payment: insertPayment('baseline_tx'),
  key: insertKey('baseline_tx', PLACES),
  outbox: insertOutbox('baseline_tx', PLACES),
}
const CTE = `with payment as (${insertPayment('baseline_cte')}),
  key as (${insertKey('baseline_cte', ['$1', '$13', '$14', '$2', '$12'])})
  ${insertOutbox('baseline_cte', ['$1', '$2', '$15', '$12'])}`

function paymentValues(row: Row): unknown[] {
  const reference = row.id.slice(4)
  const order = [MERCHANT, row.id, row.orderId, reference, row.amountMinor, row.currency, row.returnUrl]
  return [...order, row.customer, row.metadata, row.checkoutUrl, row.expiresAt, row.at]
}

/** Runs three prepared statements in one transaction, as most services do. */
async function storeInTransaction(pool: pg.Pool, row: Row): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({ name: 'payment', text: TX.payment, values: paymentValues(row) })
    const key = [MERCHANT, row.key, row.digest, row.id, row.at]
    await client.query({ name: 'key', text: TX.key, values: key })
    await client.query({ name: 'outbox', text: TX.outbox, values: [MERCHANT, row.id, row.body, row.at] })
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Runs the same three inserts as one statement, which is the fastest way to store one payment at a time. */
async function storeAsOne(pool: pg.Pool, row: Row): Promise<void> {
  await pool.query({ name: 'cte', text: CTE, values: [...paymentValues(row), row.key, row.digest, row.body] })
}

export const STORES: Record<Stores, (pool: pg.Pool, row: Row) => Promise<void>> = {
  null: async () => {},
  tx: storeInTransaction,
  cte: storeAsOne,
}

/** Stores settled payments for `read` with the schema of `cte`, and returns their ids. */
export const READ_ROWS = `insert into baseline_cte.payments (merchant_id, id, order_id, provider, reference,
    amount_minor, currency, status, return_url, customer, metadata, checkout_url, expires_at, created_at, updated_at)
  select '${MERCHANT}', 'pay_' || n, 'order-' || n, 'route_a', 'reference-' || n, 1900, 'USD', 'paid',
    'https://shop.example/thanks', '{"email": "buyer@mail.example"}', '{"source": "shop"}', 'http://127.0.0.1/checkout',
    current_timestamp, current_timestamp, current_timestamp
  from generate_series(1, $1::int) as n returning id`

const READ = `select id, order_id as "merchantOrderId", provider, amount_minor as "amountMinor", currency, status, customer,
    metadata, created_at as "createdAt", updated_at as "updatedAt"
  from baseline_cte.payments where merchant_id = $1 and id = $2`

/** Reads one payment: one indexed select. */
export async function readPayment(pool: pg.Pool, id: unknown): Promise<object | undefined> {
  const { rows } = await pool.query({ name: 'read', text: READ, values: [MERCHANT, id] })
  return rows[0]
}
