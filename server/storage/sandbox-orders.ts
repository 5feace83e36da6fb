/** The simulated bank's books. One row an order, changed under its own lock, as a bank would. */
import { type Db, inTransaction, type Queryable, statement } from './db.ts'

const find = statement<{ body: unknown }>(
  'find_sandbox_order',
  'select body from sandbox_orders where reference = $1',
)
const lock = statement<{ body: unknown }>(
  'lock_sandbox_order',
  'select body from sandbox_orders where reference = $1 for update',
)
const insert = statement(
  'insert_sandbox_order',
  'insert into sandbox_orders (reference, body) values ($1, $2) on conflict do nothing',
)
const update = statement('update_sandbox_order', 'update sandbox_orders set body = $2 where reference = $1')

export async function findSandboxOrder(db: Queryable, reference: string): Promise<unknown> {
  return (await find(db, [reference]))[0]?.body ?? null
}

/** Opens the order unless it is open already. */
export async function insertSandboxOrder(db: Queryable, reference: string, body: object): Promise<void> {
  await insert(db, [reference, JSON.stringify(body)])
}

/** Changes an order under its lock; `change` answers the new body. Answers null when there is no such order. */
export async function changeSandboxOrder(
  db: Db,
  reference: string,
  change: (body: unknown) => object,
): Promise<unknown> {
  return inTransaction(db, async (tx) => {
    const row = (await lock(tx, [reference]))[0]
    if (!row) return null
    const body = change(row.body)
    await update(tx, [reference, JSON.stringify(body)])
    return body
  })
}
