/**
 * Cash registers: who may send requests to one now, and the sequence number of its last request. A lease admits one process at
 * a time.
 */
import { type Queryable, statement } from '../db.ts'

const hold = statement<{ register: string }>(
  'hold_fiscal_register',
  `insert into world.fiscal_registers (register, lease_holder, lease_until) values ($1, $2, $4)
   on conflict (register) do update set lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
     where fiscal_registers.lease_until is null or fiscal_registers.lease_until <= $3
   returning register`,
)
const next = statement<{ sequence: number }>(
  'next_fiscal_sequence',
  `update world.fiscal_registers set last_sequence = last_sequence + 1, lease_until = $3
   where register = $1 and lease_holder = $2 returning last_sequence as sequence`,
)
const leave = statement(
  'leave_fiscal_register',
  'update world.fiscal_registers set lease_holder = null, lease_until = null where register = $1 and lease_holder = $2',
)

type At = { register: string; holder: string }

/** Returns false while another process has the register's lease. */
export async function holdRegister(
  db: Queryable,
  { register, holder }: At,
  { now, leaseUntil }: { now: Date; leaseUntil: Date },
): Promise<boolean> {
  return (await hold(db, [register, holder, now, leaseUntil])).length > 0
}

/** Returns the next sequence number and extends the lease. Null if another process has taken the register over. */
export async function nextSequence(
  tx: Queryable,
  { register, holder }: At,
  leaseUntil: Date,
): Promise<number | null> {
  return (await next(tx, [register, holder, leaseUntil]))[0]?.sequence ?? null
}

export async function leaveRegister(db: Queryable, { register, holder }: At): Promise<void> {
  await leave(db, [register, holder])
}
