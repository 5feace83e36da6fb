/** Which versions of their secrets the simulated bank's customers use. */
import { statement } from '../db.ts'

/** `oldest`: the bank takes no older version. `newest`: the newest that the customer has used. */
export type SandboxVersions = { oldest: number; newest: number }

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
