/** The simulated cash register's books: one row for each order that it accepted. It accepts one order at a time. */
import { type Db, inTransaction, statement } from '../db.ts'

type Order = { register: string; reference: string; sequence: number; saleNumber?: string | undefined }
type Sale = { amountMinor: number; returnedMinor: number }
type State = { lastSequence: number; lastNumber: number; known: boolean; sale: Sale | null }

const lock = statement('lock_sandbox_receipts', 'lock table world.sandbox_receipts in exclusive mode')
const state = statement<Omit<State, 'sale'>>(
  'read_sandbox_register',
  `select coalesce(max(sequence), 0) as "lastSequence", coalesce(max(number), 0) as "lastNumber",
     exists (select from world.sandbox_receipts where reference = $2) as known
   from world.sandbox_receipts where register = $1`,
)
const sale = statement<Sale>(
  'read_sandbox_sale',
  `select (sold.body->>'amountMinor')::bigint as "amountMinor", (
     select coalesce(sum((back.body->>'amountMinor')::bigint), 0)::bigint from world.sandbox_receipts back
     where back.register = $1 and back.number is not null and back.body->>'saleNumber' = $2) as "returnedMinor"
   from world.sandbox_receipts sold where sold.register = $1 and sold.number = $2::bigint and sold.body->>'saleNumber' is null`,
)
const insert = statement(
  'insert_sandbox_receipt',
  'insert into world.sandbox_receipts (register, sequence, number, reference, body) values ($1, $2, $3, $4, $5) on conflict do nothing',
)

/** Accepts an order under the lock of the register. `decide` returns the number under which it is printed, or null. */
export async function takeSandboxReceipt(
  db: Db,
  order: Order,
  decide: (state: State) => number | null,
): Promise<void> {
  const { register, reference, sequence, saleNumber } = order
  await inTransaction(db, async (tx) => {
    await lock(tx, [])
    const [now] = await state(tx, [register, reference])
    const sold = saleNumber === undefined ? null : ((await sale(tx, [register, saleNumber]))[0] ?? null)
    const number = decide({ lastSequence: 0, lastNumber: 0, known: false, ...now, sale: sold })
    await insert(tx, [register, sequence, number, reference, JSON.stringify(order)])
  })
}

/** Returns null if no receipt was printed with this reference. */
export const findSandboxReceipt = statement<{ number: number }>(
  'find_sandbox_receipt',
  `select number from world.sandbox_receipts where register = $1 and reference = $2 and number is not null
   order by number limit 1`,
).value('number', null, (register: string, reference: string) => [register, reference])
