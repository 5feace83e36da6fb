/** Fills a database with many copies of one payment, and of everything that belongs to it. */
import type pg from 'pg'
import { vi } from 'vitest'

const TABLES = [
  'payments',
  'attempts',
  'entries',
  'payment_changes',
  'idempotency_keys',
  'events',
  'deliveries',
  'operations',
  'operation_changes',
  'sandbox_orders',
]
/** The end of each id becomes the number of the copy. */
const DIGITS = 7
/** Real orders of a test have lower numbers. */
const FIRST = 9_000_000

const BUSY = `exists (select from sandbox.operations where due_at is not null) or
  exists (select from sandbox.events where due_at is not null)`

/** Waits until the service has no work with the payment. Each copy would have the same work, and delay that of a real payment. */
export async function untilFinished(client: pg.ClientBase): Promise<void> {
  const isBusy = async () => (await client.query(`select ${BUSY} as busy`)).rows[0].busy
  await vi.waitUntil(async () => !(await isBusy()), { timeout: 60_000, interval: 100 })
}

/** Adds `copies` of the only payment in the sandbox. Its ids must be at least 8 characters long. Returns the number of rows. */
export async function multiplyPayment(client: pg.ClientBase, copies: number): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `select id from sandbox.payments union select id from sandbox.events union select id from sandbox.operations
     union select merchant_order_id from sandbox.payments union select reference from sandbox.attempts
     union select key from sandbox.idempotency_keys`,
  )
  const ids = rows.map(({ id }) => id).filter((id) => id !== null)
  const renamed = ids.reduce(
    (text, id) => `replace(${text}, '${id}', '${id.slice(0, -DIGITS)}' || (${FIRST} + n)::text)`,
    "(to_jsonb(t) - 'identity')::text",
  )
  let added = 0
  for (const name of TABLES) {
    const table = `sandbox.${name}`
    await client.query(`alter table ${table} disable trigger user`)
    await client.query(`create temporary table one as select * from ${table}`)
    const { rowCount } = await client.query(
      `insert into ${table} overriding user value
       select copy.* from one t, generate_series(1, ${copies}) n,
         lateral jsonb_populate_record(null::${table}, ${renamed}::jsonb) copy`,
    )
    await client.query('drop table one')
    await client.query(`alter table ${table} enable trigger user`)
    added += rowCount ?? 0
  }
  return added
}
