/** The simulated bank's orders. One row an order, changed under its own lock, as a bank would. */
import { type Db, inTransaction, statement } from '../db.ts'
import { insertSandboxCallbacks, type SandboxCallback } from './callbacks.ts'

const lock = statement<{ body: unknown }>(
  'lock_sandbox_order',
  'select body from world.sandbox_orders where customer = $1 and reference = $2 for update',
)

const update = statement(
  'update_sandbox_order',
  'update world.sandbox_orders set body = $3, due_at = $4 where customer = $1 and reference = $2',
)

/** Of an order or a card: whose it is, and its number there. */
export type SandboxAddress = { customer: string; reference: string }

/** An order as it is to be stored. `dueAt`: when something next happens to it by itself. */
export type SandboxOrder = { entry: object; dueAt: Date | null; callbacks: SandboxCallback[] }

export const findSandboxOrder = statement<{ body: unknown }>(
  'find_sandbox_order',
  'select body from world.sandbox_orders where customer = $1 and reference = $2',
).value('body', null, ({ customer, reference }: SandboxAddress) => [customer, reference])

/** Opens the order unless it is open already. */
export const insertSandboxOrder = statement(
  'insert_sandbox_order',
  'insert into world.sandbox_orders (customer, reference, body, due_at) values ($1, $2, $3, $4) on conflict do nothing',
).run(({ customer, reference }: SandboxAddress, order: SandboxOrder) => [
  customer,
  reference,
  JSON.stringify(order.entry),
  order.dueAt,
])

/** Changes an order under its lock, and stores its callbacks in the same transaction. Returns null if there is no such order. */
export async function changeSandboxOrder(
  db: Db,
  { customer, reference }: SandboxAddress,
  change: (body: unknown) => SandboxOrder,
): Promise<unknown> {
  return inTransaction(db, async (tx) => {
    const row = (await lock(tx, [customer, reference]))[0]
    if (!row) return null
    const { entry, dueAt, callbacks } = change(row.body)
    await update(tx, [customer, reference, JSON.stringify(entry), dueAt])
    if (callbacks.length > 0) await insertSandboxCallbacks(tx, callbacks)
    return entry
  })
}

/** Orders to which something has fallen due, the oldest first. */
export const listDueSandboxOrders = statement<SandboxAddress>(
  'list_due_sandbox_orders',
  'select customer, reference from world.sandbox_orders where due_at <= $1 order by due_at limit $2',
).all((now: Date, limit: number) => [now, limit])

/** Returns when the next order or callback is due, or null if none is. */
export const findNextSandboxDeed = statement<{ at: Date | null }>(
  'find_next_sandbox_deed',
  `select least(
     (select min(due_at) from world.sandbox_orders where due_at is not null),
     (select min(due_at) from world.sandbox_callbacks where due_at is not null)) as at`,
).value('at', null)
