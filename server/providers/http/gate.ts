/**
 * Limits the concurrent requests of one account, and stops calling a provider that does not respond (a circuit breaker). So the
 * failures of one account do not slow down the others. Durations are in ms of real time.
 */

export type GateLimits = {
  /** How many requests may run at once. */
  concurrency: number
  /** How many of them may be in the spare lane. */
  spare: number
  /** How many requests of each lane may wait. */
  queue: number
  /** The breaker opens after this many requests in a row without a response, or after `fewFailures` of them over `failingMs`. */
  failures: number
  fewFailures: number
  failingMs: number
  /** How long the breaker first stays open. It doubles with each trial request that fails, up to `openMaxMs`. */
  openMs: number
  openMaxMs: number
}

export const GATE_LIMITS: GateLimits = {
  concurrency: 16,
  spare: 6,
  queue: 200,
  failures: 10,
  fewFailures: 4,
  failingMs: 20_000,
  openMs: 1_000,
  openMaxMs: 30_000,
}

/**
 * `spare`: requests that may wait or be left out. They never use all slots, and start only when no other request waits, so there
 * is always room for creations, operations and buyers who have just paid.
 */
export type GateLane = 'first' | 'spare'

/** `kept_open`: the trial request of an open breaker has failed. */
export type BreakerChange = 'open' | 'kept_open' | 'closed'

type Outcome = 'answered' | 'failed' | 'ignored'

/**
 * Ends a request. `failed`: there was no response, or the provider's proxy could not reach the provider (502, 503, 504).
 * `ignored`: the request failed, but that says nothing about the provider's other services.
 */
type Leave = (outcome: Outcome) => void

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

/** The requests that run now, and those that wait for a slot. */
type Slots = { running: Record<GateLane, number>; waiting: Record<GateLane, Set<() => void>> }

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
  const slots: Slots = {
    running: { first: 0, spare: 0 },
    waiting: { first: new Set(), spare: new Set() },
  }
  return {
    isOpen: () => breaker.openUntil !== null,
    /** Resolves when the request may be sent. @throws Error with `sent: false` */
    async enter(signal: AbortSignal, lane: GateLane = 'first'): Promise<Leave> {
      refuseWhileOpen(breaker)
      await waitForSlot(slots, limits, { signal, lane })
      // The breaker may have opened while this request waited.
      try {
        refuseWhileOpen(breaker)
      } catch (error) {
        freeSlot(slots, limits, lane)
        throw error
      }
      const isTrial = breaker.openUntil !== null
      if (isTrial) breaker.hasTrial = true
      return (outcome) => {
        note(breaker, outcome, isTrial)
        freeSlot(slots, limits, lane)
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

function hasRoom({ running }: Slots, { concurrency, spare }: GateLimits, lane: GateLane): boolean {
  return running.first + running.spare < concurrency && (lane === 'first' || running.spare < spare)
}

async function waitForSlot(
  slots: Slots,
  limits: GateLimits,
  { signal, lane }: { signal: AbortSignal; lane: GateLane },
): Promise<void> {
  if (hasRoom(slots, limits, lane)) {
    slots.running[lane]++
    return
  }
  const waiting = slots.waiting[lane]
  if (waiting.size >= limits.queue) throw unsent('too many requests of this account are waiting')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopWaiting = () => {
    if (waiting.delete(resolve))
      reject(unsent('the request waited too long, because this account has too many requests'))
  }
  waiting.add(resolve)
  signal.addEventListener('abort', stopWaiting, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', stopWaiting))
}

/** Ends a request and starts the one that has waited longest, the spare lane last. */
function freeSlot(slots: Slots, limits: GateLimits, left: GateLane): void {
  slots.running[left]--
  for (const lane of ['first', 'spare'] as const) {
    const [start] = slots.waiting[lane]
    if (!start || !hasRoom(slots, limits, lane)) continue
    slots.waiting[lane].delete(start)
    slots.running[lane]++
    start()
    return
  }
}

/** Returns the error of a request that was not sent. */
export function unsent(message: string): Error {
  return Object.assign(new Error(message), { name: 'ProviderHttpError', sent: false })
}
