/** What the simulated bank has to tell by itself, until it has been taken or is given up. */
import { type Queryable, statement } from '../db.ts'

export type SandboxCallback = { reference: string; number: number; url: string; body: string; dueAt: Date }
export type ClaimedSandboxCallback = Omit<SandboxCallback, 'dueAt'> & { attempts: number }

const insert = statement(
  'insert_sandbox_callbacks',
  `insert into world.sandbox_callbacks (reference, number, url, body, due_at)
   select * from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::timestamptz[])`,
)
const claim = statement<ClaimedSandboxCallback>(
  'claim_sandbox_callbacks',
  `update world.sandbox_callbacks set due_at = $2, attempts = attempts + 1
   where (reference, number) in (
     select reference, number from world.sandbox_callbacks where due_at <= $1
     order by due_at, number limit $3 for update skip locked)
   returning reference, number, url, body, attempts`,
)
const note = statement(
  'note_sandbox_callback',
  'update world.sandbox_callbacks set due_at = $3, status_code = $4 where reference = $1 and number = $2',
)

export async function insertSandboxCallbacks(tx: Queryable, callbacks: SandboxCallback[]): Promise<void> {
  const column = <Name extends keyof SandboxCallback>(name: Name) => callbacks.map((each) => each[name])
  await insert(tx, [column('reference'), column('number'), column('url'), column('body'), column('dueAt')])
}

/** Takes up to `limit` callbacks that are due; they are due again at `leaseUntil` if nobody says better. */
export async function claimSandboxCallbacks(
  db: Queryable,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<ClaimedSandboxCallback[]> {
  return claim(db, [now, leaseUntil, limit])
}

/** Notes an attempt's answer, and when the next one is due. */
export async function noteSandboxCallback(
  db: Queryable,
  { reference, number }: Pick<SandboxCallback, 'reference' | 'number'>,
  { dueAt, statusCode }: { dueAt: Date | null; statusCode: number | null },
): Promise<void> {
  await note(db, [reference, number, dueAt, statusCode])
}
