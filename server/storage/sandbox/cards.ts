/** The simulated bank's saved cards. Each card is one row, which is changed under its lock. */
import { type Db, inTransaction, statement } from '../db.ts'
import { insertSandboxCallbacks, type SandboxCallback } from './callbacks.ts'
import type { SandboxAddress } from './orders.ts'

const lock = statement<{ body: unknown }>(
  'lock_sandbox_card',
  'select body from world.sandbox_cards where customer = $1 and reference = $2 for update',
)

const update = statement(
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
    const row = (await lock(tx, [customer, reference]))[0]
    if (!row) return null
    const { card, callbacks } = change(row.body)
    await update(tx, [customer, reference, JSON.stringify(card)])
    if (callbacks.length > 0) await insertSandboxCallbacks(tx, callbacks)
    return card
  })
}
