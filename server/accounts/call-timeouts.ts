/**
 * How long an account's provider may take to answer, by kind of call: as its driver states it, else as the service has it.
 * Rule: a limit that a driver states is at most half as long as the claim under which the call is made. So nobody else begins the same
 * work while a call is under way.
 */
import { CALL_TIMEOUTS, type CallKind } from '../providers/driver/timeouts.ts'
import type { Account } from '../providers/registry.ts'

/** How long a provider may still be opening an order after the connection was lost. */
export const openingUnsureMs = (account: Stated): number =>
  Math.max(CALL_TIMEOUTS.opening.usualMs, limitsOfCall(account, 'opening').timeoutMs)

export const LONGEST_WRITE_MS = CALL_TIMEOUTS.writing.mostMs

type Stated = { driver: Pick<Account['driver'], 'timeouts'> }

/** The limits for `callProvider`. `leaseMs`: the claim that covers the call. */
export function limitsOfCall(
  { driver }: Stated,
  kind: Exclude<CallKind, 'question'>,
  leaseMs = Number.POSITIVE_INFINITY,
): { timeoutMs: number; requestTimeoutMs?: number } {
  const statedMs = driver.timeouts?.[kind]
  if (statedMs === undefined) return { timeoutMs: CALL_TIMEOUTS[kind].usualMs }
  const timeoutMs = Math.min(statedMs, leaseMs / 2)
  return { timeoutMs, requestTimeoutMs: timeoutMs }
}

/** Returns how long one request of a question to this account's provider may take. */
export function questionTimeoutOf({ driver }: Stated): number {
  return driver.timeouts?.question ?? CALL_TIMEOUTS.question.usualMs
}

const SHOWN = ['question', 'opening', 'writing'] as const

/** `source`: who states the limit. `service`: the driver does not, so it is the usual one. */
export type CallTimeoutFact = {
  calls: (typeof SHOWN)[number]
  seconds: number
  source: 'driver' | 'service'
}

/** Returns the limits of an account for people. */
export function callTimeoutsOf(account: Stated): CallTimeoutFact[] {
  return SHOWN.map((calls) => ({
    calls,
    seconds:
      (calls === 'question' ? questionTimeoutOf(account) : limitsOfCall(account, calls).timeoutMs) / 1_000,
    source: account.driver.timeouts?.[calls] === undefined ? 'service' : 'driver',
  }))
}
