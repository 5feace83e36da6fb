/**
 * What the simulated bank stores: its callbacks, its orders, its saved cards, and the versions of its customers' secrets. An order
 * and a card are one row each, which is changed under its own lock, as a bank would.
 */
import { type Db, inTransaction, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const CALLBACK_FIELDS = fieldsOf('sandbox_callbacks', [
  'customer',
  'reference',
  'number',
  'url',
  'body',
  'attempts',
])
type ClaimedSandboxCallback = RecordOf<'sandbox_callbacks', typeof CALLBACK_FIELDS>
type SandboxCallback = Omit<ClaimedSandboxCallback, 'attempts'> & { dueAt: Date }

const insertSandboxCallbacks = statement(
  'insert_sandbox_callbacks',
  `insert into world.sandbox_callbacks (customer, reference, number, url, body, due_at)
   select * from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[])`,
).run((callbacks: SandboxCallback[]) => {
  const column = <Name extends keyof SandboxCallback>(name: Name) => callbacks.map((each) => each[name])
  const address = [column('customer'), column('reference'), column('number')]
  return [...address, column('url'), column('body'), column('dueAt')]
})

/** Claims up to `limit` due callbacks. They are due again at `leaseUntil`, unless they are rescheduled. */
export const claimSandboxCallbacks = statement<ClaimedSandboxCallback>(
  'claim_sandbox_callbacks',
  `update world.sandbox_callbacks set due_at = $2, attempts = attempts + 1
   where (customer, reference, number) in (
     select customer, reference, number from world.sandbox_callbacks where due_at <= $1
     order by due_at, number limit $3 for update skip locked)
   returning ${selected(CALLBACK_FIELDS)}`,
).all((now: Date, leaseUntil: Date, limit: number) => [now, leaseUntil, limit])

/** Stores the response to a callback, and when the next try is due. */
export const noteSandboxCallback = statement(
  'note_sandbox_callback',
  'update world.sandbox_callbacks set due_at = $4, status_code = $5 where customer = $1 and reference = $2 and number = $3',
).run(
  (
    { customer, reference, number }: Pick<SandboxCallback, 'customer' | 'reference' | 'number'>,
    { dueAt, statusCode }: { dueAt: Date | null; statusCode: number | null },
  ) => [customer, reference, number, dueAt, statusCode],
)

const lockOrder = statement<{ body: unknown }>(
  'lock_sandbox_order',
  'select body from world.sandbox_orders where customer = $1 and reference = $2 for update',
)

const updateOrder = statement(
  'update_sandbox_order',
  'update world.sandbox_orders set body = $3, due_at = $4 where customer = $1 and reference = $2',
)

/** The address of an order or a card: its customer, and its number there. */
type SandboxAddress = { customer: string; reference: string }

/** An order as it is to be stored. `dueAt`: when something next happens to it by itself. */
type SandboxOrder = { entry: object; dueAt: Date | null; callbacks: SandboxCallback[] }

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
    const row = (await lockOrder(tx, [customer, reference]))[0]
    if (!row) return null
    const { entry, dueAt, callbacks } = change(row.body)
    await updateOrder(tx, [customer, reference, JSON.stringify(entry), dueAt])
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

const lockCard = statement<{ body: unknown }>(
  'lock_sandbox_card',
  'select body from world.sandbox_cards where customer = $1 and reference = $2 for update',
)

const updateCard = statement(
  'update_sandbox_card',
  'update world.sandbox_cards set body = $3 where customer = $1 and reference = $2',
)

export const findSandboxCard = statement<{ body: unknown }>(
  'find_sandbox_card',
  'select body from world.sandbox_cards where customer = $1 and reference = $2',
).value('body', null, ({ customer, reference }: SandboxAddress) => [customer, reference])

/** Opens the card's page unless it is open already. */
export const insertSandboxCard = statement(
  'insert_sandbox_card',
  'insert into world.sandbox_cards (customer, reference, body) values ($1, $2, $3) on conflict do nothing',
).run(({ customer, reference }: SandboxAddress, body: object) => [customer, reference, JSON.stringify(body)])

/** Changes a card under its lock, and stores its callbacks in the same transaction. Returns null if there is no such card. */
export async function changeSandboxCard(
  db: Db,
  { customer, reference }: SandboxAddress,
  change: (body: unknown) => { card: object; callbacks: SandboxCallback[] },
): Promise<unknown> {
  return inTransaction(db, async (tx) => {
    const row = (await lockCard(tx, [customer, reference]))[0]
    if (!row) return null
    const { card, callbacks } = change(row.body)
    await updateCard(tx, [customer, reference, JSON.stringify(card)])
    if (callbacks.length > 0) await insertSandboxCallbacks(tx, callbacks)
    return card
  })
}

/** `oldest`: the bank takes no older version. `newest`: the newest that the customer has used. */
type SandboxVersions = { oldest: number; newest: number }

export const findSandboxCustomer = statement<SandboxVersions>(
  'find_sandbox_customer',
  'select oldest, newest from world.sandbox_customers where customer = $1',
).first((customer: string) => [customer])

/** Neither version ever falls. */
export const raiseSandboxCustomer = statement(
  'raise_sandbox_customer',
  `insert into world.sandbox_customers (customer, oldest, newest) values ($1, $2, $3)
   on conflict (customer) do update set oldest = greatest(sandbox_customers.oldest, excluded.oldest),
     newest = greatest(sandbox_customers.newest, excluded.newest)`,
).run((customer: string, { oldest, newest }: SandboxVersions) => [customer, oldest, newest])
