/** The simulated bank's saved cards. One row a card, changed under its own lock, as a bank would. */
import { type Db, inTransaction, type Queryable, statement } from '../db.ts'

const find = statement<{ body: unknown }>(
  'find_sandbox_card',
  'select body from world.sandbox_cards where reference = $1',
)
const lock = statement<{ body: unknown }>(
  'lock_sandbox_card',
  'select body from world.sandbox_cards where reference = $1 for update',
)
const insert = statement(
  'insert_sandbox_card',
  'insert into world.sandbox_cards (reference, body) values ($1, $2) on conflict do nothing',
)
const update = statement(
  'update_sandbox_card',
  'update world.sandbox_cards set body = $2 where reference = $1',
)

export async function findSandboxCard(db: Queryable, reference: string): Promise<unknown> {
  return (await find(db, [reference]))[0]?.body ?? null
}

/** Opens the card's page unless it is open already. */
export async function insertSandboxCard(db: Queryable, reference: string, body: object): Promise<void> {
  await insert(db, [reference, JSON.stringify(body)])
}

/** Changes a card under its lock; `change` answers the new body. Answers null when there is no such card. */
export async function changeSandboxCard(
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
