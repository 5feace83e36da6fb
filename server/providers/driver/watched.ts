/** Lets the caller of a driver watch each call of its members. */
import type { Driver, ProviderCall } from '../driver.ts'

/** Members that ask the provider, or write at it. */
const WATCHED = [
  'startCheckout',
  'lookUp',
  'finalize',
  'withdraw',
  'refund',
  'capture',
  'void',
  'saveToken',
  'lookUpToken',
  'finishSaving',
  'revokeToken',
  'chargeToken',
] as const

type Member = (call: ProviderCall, ...given: unknown[]) => Promise<unknown>

/** Returns the driver with members that tell the call's witness, where the call has one. */
export function watched(driver: Driver): Driver {
  const members = WATCHED.flatMap((name) => {
    const own = driver[name] as Member | undefined
    if (!own) return []
    const member: Member = (call, ...given) =>
      call.witness
        ? call.witness(name, given, (seen) => own({ ...call, http: seen(call.http) }, ...given))
        : own(call, ...given)
    return [[name, member] as const]
  })
  return {
    ...driver,
    ...Object.fromEntries(members),
    ...(driver.inbound && { inbound: watchedInbound(driver.inbound) }),
  }
}

/** What arrives is not recorded, because it is signed. That something arrived is. */
function watchedInbound(inbound: NonNullable<Driver['inbound']>): NonNullable<Driver['inbound']> {
  return {
    ...inbound,
    receive: (call, raw) =>
      call.witness
        ? call.witness('receive', [], (seen) => inbound.receive({ ...call, http: seen(call.http) }, raw))
        : inbound.receive(call, raw),
  }
}
