/**
 * Keeps one account's trouble its own: how many requests may be under way at once, and a breaker that stops calling a
 * provider which does not answer. Durations in ms of real time.
 */

export type GateLimits = {
  /** Requests under way at once. */
  concurrency: number
  /** Requests that may wait for their turn. */
  queue: number
  /** So many requests in a row without an answer open the breaker. */
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

/** Ends a request. `failed`: no answer came, or the provider's front door said that nobody is there (502, 503, 504). */
type Leave = (outcome: 'answered' | 'failed') => void

export type Gate = ReturnType<typeof createGate>

/** `onBreaker` hears of each opening and closing. */
export function createGate(
  limits: GateLimits,
  nowMs: () => number,
  onBreaker: (state: 'open' | 'closed', failures: number) => void,
) {
  let underWay = 0
  const waiting = new Set<() => void>()
  let failures = 0
  let openMs = limits.openMs
  /** Null: the breaker is closed. */
  let openUntil: number | null = null
  let isTrying = false

  function refuseWhileOpen(): void {
    if (openUntil === null) return
    if (nowMs() < openUntil || isTrying)
      throw unsent(
        `the provider did not answer ${failures} requests in a row, so it is not called for a while`,
      )
  }

  function note(outcome: 'answered' | 'failed', isTrial: boolean): void {
    if (isTrial) isTrying = false
    if (outcome === 'answered') {
      if (openUntil !== null) onBreaker('closed', failures)
      failures = 0
      openUntil = null
      openMs = limits.openMs
      return
    }
    failures++
    if (openUntil === null ? failures < limits.failures : !isTrial) return
    if (openUntil === null) onBreaker('open', failures)
    else openMs = Math.min(openMs * 2, limits.openMaxMs)
    openUntil = nowMs() + openMs
  }

  function startNext(): void {
    const [start] = waiting
    if (!start || underWay >= limits.concurrency) return
    waiting.delete(start)
    underWay++
    start()
  }

  async function takePlace(signal: AbortSignal): Promise<void> {
    if (underWay < limits.concurrency) {
      underWay++
      return
    }
    if (waiting.size >= limits.queue) throw unsent('too many requests of this account are waiting')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      if (waiting.delete(resolve)) reject(unsent('no turn came in time: too many requests of this account'))
    }
    waiting.add(resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  return {
    /** Resolves when the request may go out. @throws Error with `sent: false` */
    async enter(signal: AbortSignal): Promise<Leave> {
      refuseWhileOpen()
      await takePlace(signal)
      // The breaker may have opened while this request waited.
      try {
        refuseWhileOpen()
      } catch (error) {
        underWay--
        startNext()
        throw error
      }
      const isTrial = openUntil !== null
      if (isTrial) isTrying = true
      return (outcome) => {
        underWay--
        note(outcome, isTrial)
        startNext()
      }
    },
  }
}

/** An error of a request that never left. */
export function unsent(message: string): Error {
  return Object.assign(new Error(message), { name: 'ProviderHttpError', sent: false })
}
