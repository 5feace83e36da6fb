/**
 * Limits the concurrent requests of one account, and stops calling a provider that does not respond (a circuit breaker). So the
 * failures of one account do not slow down the others. Durations are in ms of real time.
 */

export type GateLimits = {
  /** How many requests may run at once. */
  concurrency: number
  /** How many requests may wait. */
  queue: number
  /** The breaker opens after this many requests in a row without a response. */
  failures: number
  /** How long the breaker first stays open. It doubles with each trial request that fails, up to `openMaxMs`. */
  openMs: number
  openMaxMs: number
}

export const GATE_LIMITS: GateLimits = {
  concurrency: 16,
  queue: 200,
  failures: 10,
  openMs: 1_000,
  openMaxMs: 30_000,
}

type Outcome = 'answered' | 'failed'

/** Ends a request. `failed`: there was no response, or the provider's proxy could not reach the provider (502, 503, 504). */
type Leave = (outcome: Outcome) => void

/** Counts the failures of one provider and stops the requests to it. */
type Breaker = {
  limits: GateLimits
  nowMs(): number
  onChange(state: 'open' | 'closed', failures: number): void
  failures: number
  openMs: number
  /** Null while the breaker is closed. */
  openUntil: number | null
  hasTrial: boolean
}

/** The requests that run now, and those that wait for a slot. */
type Slots = { running: number; waiting: Set<() => void> }

export type Gate = ReturnType<typeof createGate>

/** `onBreaker` is called each time that the breaker opens or closes. */
export function createGate(
  limits: GateLimits,
  nowMs: () => number,
  onBreaker: (state: 'open' | 'closed', failures: number) => void,
) {
  const breaker: Breaker = {
    limits,
    nowMs,
    onChange: onBreaker,
    failures: 0,
    openMs: limits.openMs,
    openUntil: null,
    hasTrial: false,
  }
  const slots: Slots = { running: 0, waiting: new Set() }
  return {
    /** Resolves when the request may be sent. @throws Error with `sent: false` */
    async enter(signal: AbortSignal): Promise<Leave> {
      refuseWhileOpen(breaker)
      await waitForSlot(slots, limits, signal)
      // The breaker may have opened while this request waited.
      try {
        refuseWhileOpen(breaker)
      } catch (error) {
        freeSlot(slots, limits)
        throw error
      }
      const isTrial = breaker.openUntil !== null
      if (isTrial) breaker.hasTrial = true
      return (outcome) => {
        note(breaker, outcome, isTrial)
        freeSlot(slots, limits)
      }
    },
  }
}

function refuseWhileOpen({ openUntil, nowMs, hasTrial, failures }: Breaker): void {
  if (openUntil === null) return
  if (nowMs() < openUntil || hasTrial)
    throw unsent(`the provider did not answer ${failures} requests in a row, so it is not called for a while`)
}

function note(breaker: Breaker, outcome: Outcome, isTrial: boolean): void {
  const { limits } = breaker
  if (isTrial) breaker.hasTrial = false
  if (outcome === 'answered') {
    if (breaker.openUntil !== null) breaker.onChange('closed', breaker.failures)
    Object.assign(breaker, { failures: 0, openUntil: null, openMs: limits.openMs })
    return
  }
  breaker.failures++
  if (breaker.openUntil === null ? breaker.failures < limits.failures : !isTrial) return
  if (breaker.openUntil === null) breaker.onChange('open', breaker.failures)
  else breaker.openMs = Math.min(breaker.openMs * 2, limits.openMaxMs)
  breaker.openUntil = breaker.nowMs() + breaker.openMs
}

async function waitForSlot(slots: Slots, limits: GateLimits, signal: AbortSignal): Promise<void> {
  if (slots.running < limits.concurrency) {
    slots.running++
    return
  }
  if (slots.waiting.size >= limits.queue) throw unsent('too many requests of this account are waiting')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopWaiting = () => {
    if (slots.waiting.delete(resolve))
      reject(unsent('the request waited too long, because this account has too many requests'))
  }
  slots.waiting.add(resolve)
  signal.addEventListener('abort', stopWaiting, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', stopWaiting))
}

/** Ends a request and starts the one that has waited longest. */
function freeSlot(slots: Slots, limits: GateLimits): void {
  slots.running--
  const [start] = slots.waiting
  if (!start || slots.running >= limits.concurrency) return
  slots.waiting.delete(start)
  slots.running++
  start()
}

/** Returns the error of a request that was not sent. */
export function unsent(message: string): Error {
  return Object.assign(new Error(message), { name: 'ProviderHttpError', sent: false })
}
