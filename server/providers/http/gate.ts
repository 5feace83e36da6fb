/**
 * Limits the concurrent requests of one account, and stops calling a provider that does not respond (a circuit breaker). So the
 * failures of one account do not slow down the others. Durations are in ms of real time.
 */
import { counted } from '../../messages/counted.ts'
import { createSlots, GATE_CLASSES, type GateLane, type SlotLimits, unsent } from './slots.ts'

export type GateLimits = SlotLimits & {
  /** The breaker opens after this many requests in a row without a response, or after `fewFailures` of them over `failingMs`. */
  failures: number
  fewFailures: number
  failingMs: number
  /** How long the breaker first stays open. It doubles with each trial request that fails, up to `openMaxMs`. */
  openMs: number
  openMaxMs: number
}

export const GATE_LIMITS: GateLimits = {
  concurrency: 20,
  classes: GATE_CLASSES,
  failures: 10,
  fewFailures: 4,
  failingMs: 20_000,
  openMs: 1_000,
  openMaxMs: 30_000,
}

/** `kept_open`: the trial request of an open breaker has failed. */
export type BreakerChange = 'open' | 'kept_open' | 'closed'

type Outcome = 'answered' | 'failed' | 'ignored'

/**
 * Ends a request. `failed`: there was no response, or the provider's proxy could not reach the provider (502, 503, 504).
 * `ignored`: the request failed, but that says nothing about the provider's other services.
 */
type EndRequest = (outcome: Outcome) => void

/** Counts the failures of one provider and stops the requests to it. */
type Breaker = {
  limits: GateLimits
  nowMs(): number
  onChange(change: BreakerChange, failures: number): void
  failures: number
  /** When the first of these failures was noticed. */
  failingSinceMs: number
  openMs: number
  /** Null while the breaker is closed. */
  openUntil: number | null
  hasTrial: boolean
}

export type Gate = ReturnType<typeof createGate>

/** `onBreaker` is called each time that the breaker opens, stays open after a trial, or closes. */
export function createGate(limits: GateLimits, nowMs: () => number, onBreaker: Breaker['onChange']) {
  const breaker: Breaker = {
    limits,
    nowMs,
    onChange: onBreaker,
    failures: 0,
    failingSinceMs: 0,
    openMs: limits.openMs,
    openUntil: null,
    hasTrial: false,
  }
  const slots = createSlots(limits)
  return {
    isOpen: () => breaker.openUntil !== null,
    /** Resolves when the request may be sent. `isRead`: it changes nothing at the provider. @throws Error with `sent: false` */
    async enter(signal: AbortSignal, lane: GateLane, { isRead }: { isRead: boolean }): Promise<EndRequest> {
      const movesMoney = lane === 'money' && !isRead
      refuseWhileOpen(breaker, movesMoney)
      await slots.take(lane, signal)
      // The breaker may have opened while this request waited.
      try {
        refuseWhileOpen(breaker, movesMoney)
      } catch (error) {
        slots.free(lane)
        throw error
      }
      const isTrial = breaker.openUntil !== null
      if (isTrial) breaker.hasTrial = true
      return (outcome) => {
        note(breaker, outcome, isTrial)
        slots.free(lane)
      }
    },
  }
}

/**
 * A trial that fails may still have reached the provider. So money is not moved by way of trial while questions come that can be the
 * trial; an account that nothing asks about would otherwise stay closed to it for ever.
 */
function refuseWhileOpen(
  { openUntil, nowMs, hasTrial, failures, limits }: Breaker,
  movesMoney: boolean,
): void {
  if (openUntil === null) return
  const triedFrom = movesMoney ? openUntil + limits.openMaxMs : openUntil
  if (nowMs() < triedFrom || hasTrial)
    throw unsent(
      `the provider did not answer ${counted(failures, 'request')} in a row, so it is not called for a while`,
    )
}

function note(breaker: Breaker, outcome: Outcome, isTrial: boolean): void {
  const { limits } = breaker
  if (isTrial) breaker.hasTrial = false
  if (outcome === 'ignored') return
  if (outcome === 'answered') {
    if (breaker.openUntil !== null) breaker.onChange('closed', breaker.failures)
    Object.assign(breaker, { failures: 0, openUntil: null, openMs: limits.openMs })
    return
  }
  if (breaker.failures++ === 0) breaker.failingSinceMs = breaker.nowMs()
  if (breaker.openUntil === null ? !hasFailedEnough(breaker) : !isTrial) return
  breaker.onChange(breaker.openUntil === null ? 'open' : 'kept_open', breaker.failures)
  if (breaker.openUntil !== null) breaker.openMs = Math.min(breaker.openMs * 2, limits.openMaxMs)
  breaker.openUntil = breaker.nowMs() + breaker.openMs
}

/** An account that is hardly used would need hours for as many failures as a busy one has in a second. */
function hasFailedEnough({ failures, failingSinceMs, limits, nowMs }: Breaker): boolean {
  if (failures >= limits.failures) return true
  return failures >= limits.fewFailures && nowMs() - failingSinceMs >= limits.failingMs
}
