/**
 * Cash registers: who may send requests to one now, and the sequence number of its last request. A lease admits one process at
 * a time.
 */
import { statement } from '../db.ts'

type At = { register: string; holder: string }

/** Returns false while another process has the register's lease. */
export const holdRegister = statement<{ register: string }>(
  'hold_fiscal_register',
  `insert into world.fiscal_registers (register, lease_holder, lease_until) values ($1, $2, $4)
   on conflict (register) do update set lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
     where fiscal_registers.lease_until is null or fiscal_registers.lease_until <= $3
   returning register`,
).some(({ register, holder }: At, { now, leaseUntil }: { now: Date; leaseUntil: Date }) => [
  register,
  holder,
  now,
  leaseUntil,
])

/** Returns the next sequence number and extends the lease. Null if another process has taken the register over. */
export const nextSequence = statement<{ sequence: number }>(
  'next_fiscal_sequence',
  `update world.fiscal_registers set last_sequence = last_sequence + 1, lease_until = $3
   where register = $1 and lease_holder = $2 returning last_sequence as sequence`,
).value('sequence', null, ({ register, holder }: At, leaseUntil: Date) => [register, holder, leaseUntil])

export const leaveRegister = statement(
  'leave_fiscal_register',
  'update world.fiscal_registers set lease_holder = null, lease_until = null where register = $1 and lease_holder = $2',
).run(({ register, holder }: At) => [register, holder])
