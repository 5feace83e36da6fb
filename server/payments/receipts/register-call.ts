/** Calls to a cash register, by the process that holds it: for printing, and for the test of its account. */
import type { Context } from '../../context.ts'
import { newSharedId } from '../../id.ts'
import type { FiscalCall, RouteFiscal } from '../../providers/fiscal/driver.ts'
import {
  holdRegister,
  leaveRegister,
  nextSequence,
  returnSequences,
} from '../../storage/payments/registers.ts'
import { within } from '../provider-call.ts'

/** The lease is longer than a print may take, so no other process takes the register while it is answering. */
const REGISTER_LEASE_MS = 60_000
export const PRINT_TIMEOUT_MS = 20_000

export type HeldRegister = { register: string; holder: string }

export function lease(ctx: Context): { now: Date; leaseUntil: Date } {
  const now = ctx.clock.now()
  return { now, leaseUntil: new Date(now.getTime() + REGISTER_LEASE_MS) }
}

/** Requests to a register are logged with the payment that they are `about`, and have a breaker of their own. */
export function openCall(
  ctx: Context,
  fiscal: RouteFiscal,
  { held, signal, about }: { held: HeldRegister; signal: AbortSignal; about: string | null },
): FiscalCall {
  const { driverName, driver, register } = fiscal
  const settings = { ...ctx.fiscalDefaults(driverName, register), ...fiscal.settings }
  const secrets = (driver.secrets ?? [])
    .map((name) => settings[name])
    .filter((each) => typeof each === 'string')
  const account = { id: `register ${register}`, addresses: driver.addresses?.(settings) ?? [], secrets }
  const http = ctx.providers.open(account, signal, about)
  const nextNumber = async () => {
    const number = await nextSequence(ctx.db, held, lease(ctx).leaseUntil)
    if (number === null) throw new Error('another process has taken over the register')
    return number
  }
  return { now: () => ctx.clock.now(), settings, name: register, http, nextNumber }
}

/**
 * Asks the register whether it can be used. Prints nothing. Returns what was found; null if the register is printing now.
 * @throws Error if it does not answer as the driver expects
 */
export async function checkRegister(ctx: Context, fiscal: RouteFiscal) {
  const { driver, register } = fiscal
  const { check } = driver
  if (!check) return []
  const held = { register, holder: newSharedId('wrk', ctx.clock.now()) }
  if (!(await holdRegister(ctx.db, held, lease(ctx)))) return null
  const given: number[] = []
  try {
    return await within(PRINT_TIMEOUT_MS, (signal) => {
      const call = openCall(ctx, fiscal, { held, signal, about: null })
      const nextNumber = async () => {
        const number = await call.nextNumber()
        given.push(number)
        return number
      }
      return check({ ...call, nextNumber })
    })
  } catch (error) {
    const [first] = given
    if (driver.takesOnlyNext && first !== undefined) await returnSequences(ctx.db, held, first)
    throw error
  } finally {
    await leaveRegister(ctx.db, held)
  }
}
