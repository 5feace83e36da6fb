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

/** Gives out the numbers from `first` on once more. The caller holds the register. */
export const returnSequences = statement(
  'return_fiscal_sequences',
  `update world.fiscal_registers set last_sequence = $3::bigint - 1
   where register = $1 and lease_holder = $2 and last_sequence >= $3`,
).run(({ register, holder }: At, first: number) => [register, holder, first])

/** For which restore the register has skipped numbers. Null: for none. */
export const findSkipped = statement<{ at: Date | null }>(
  'find_skipped_sequences',
  'select skipped_at as at from world.fiscal_registers where register = $1',
).value('at', null, (register: string) => [register])

/** Skips numbers once for each restore. The caller holds the register. */
export const skipSequences = statement(
  'skip_fiscal_sequences',
  `update world.fiscal_registers set last_sequence = last_sequence + $3, skipped_at = $4
   where register = $1 and lease_holder = $2 and (skipped_at is null or skipped_at < $4)`,
).run(({ register, holder }: At, numbers: number, restoredAt: Date) => [
  register,
  holder,
  numbers,
  restoredAt,
])

export const leaveRegister = statement(
  'leave_fiscal_register',
  'update world.fiscal_registers set lease_holder = null, lease_until = null where register = $1 and lease_holder = $2',
).run(({ register, holder }: At) => [register, holder])
