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

/** Ends a request. `failed`: there was no response, or the provider's proxy could not reach the provider (502, 503, 504). */
type Leave = (outcome: 'answered' | 'failed') => void

export type Gate = ReturnType<typeof createGate>

/** `onBreaker` is called each time that the breaker opens or closes. */
export function createGate(
  limits: GateLimits,
  nowMs: () => number,
  onBreaker: (state: 'open' | 'closed', failures: number) => void,
) {
  let running = 0
  const waiting = new Set<() => void>()
  let failures = 0
  let openMs = limits.openMs
  /** Null while the breaker is closed. */
  let openUntil: number | null = null
  let hasTrial = false

  function refuseWhileOpen(): void {
    if (openUntil === null) return
    if (nowMs() < openUntil || hasTrial)
      throw unsent(
        `the provider did not answer ${failures} requests in a row, so it is not called for a while`,
      )
  }

  function note(outcome: 'answered' | 'failed', isTrial: boolean): void {
    if (isTrial) hasTrial = false
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
    if (!start || running >= limits.concurrency) return
    waiting.delete(start)
    running++
    start()
  }

  async function waitForSlot(signal: AbortSignal): Promise<void> {
    if (running < limits.concurrency) {
      running++
      return
    }
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

  return {
    /** Resolves when the request may be sent. @throws Error with `sent: false` */
    async enter(signal: AbortSignal): Promise<Leave> {
      refuseWhileOpen()
      await waitForSlot(signal)
      // The breaker may have opened while this request waited.
      try {
        refuseWhileOpen()
      } catch (error) {
        running--
        startNext()
        throw error
      }
      const isTrial = openUntil !== null
      if (isTrial) hasTrial = true
      return (outcome) => {
        running--
        note(outcome, isTrial)
        startNext()
      }
    },
  }
}

/** Returns the error of a request that was not sent. */
export function unsent(message: string): Error {
  return Object.assign(new Error(message), { name: 'ProviderHttpError', sent: false })
}
