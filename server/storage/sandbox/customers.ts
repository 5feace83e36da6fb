/** Which versions of their secrets the simulated bank's customers use. */
import { type Queryable, statement } from '../db.ts'

/** `oldest`: the bank takes no older version. `newest`: the newest that the customer has used. */
export type SandboxVersions = { oldest: number; newest: number }

const find = statement<SandboxVersions>(
  'find_sandbox_customer',
  'select oldest, newest from world.sandbox_customers where customer = $1',
)
const raise = statement(
  'raise_sandbox_customer',
  `insert into world.sandbox_customers (customer, oldest, newest) values ($1, $2, $3)
   on conflict (customer) do update set oldest = greatest(sandbox_customers.oldest, excluded.oldest),
     newest = greatest(sandbox_customers.newest, excluded.newest)`,
)

export async function findSandboxCustomer(db: Queryable, customer: string): Promise<SandboxVersions | null> {
  return (await find(db, [customer]))[0] ?? null
}

/** Neither version ever falls. */
export async function raiseSandboxCustomer(
  db: Queryable,
  customer: string,
  { oldest, newest }: SandboxVersions,
): Promise<void> {
  await raise(db, [customer, oldest, newest])
}
