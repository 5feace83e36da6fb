/** The simulated bank's callbacks. Each stays until it has been accepted or the bank gives up. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('sandbox_callbacks', ['customer', 'reference', 'number', 'url', 'body', 'attempts'])
export type ClaimedSandboxCallback = RecordOf<'sandbox_callbacks', typeof FIELDS>
export type SandboxCallback = Omit<ClaimedSandboxCallback, 'attempts'> & { dueAt: Date }

export const insertSandboxCallbacks = statement(
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
   returning ${selected(FIELDS)}`,
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
