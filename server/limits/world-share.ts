/**
 * Keeps the sandbox from slowing down the live world where one process serves both. Real payments never wait. While a live
 * request is running, only one sandbox request runs at a time. The others wait.
 */
import type { World } from '../contract/health.ts'

/** How many sandbox requests may run at once while no live request runs. */
const AT_ONCE_ALONE = 8
const AT_ONCE_BESIDE_LIVE = 1
const QUEUE_MAX = 500
const WAIT_MAX_MS = 10_000

/** `enter` resolves to a function that ends the request. It resolves to null if the queue is full or the wait was too long. */
export type WorldShare = { enter(world: World): Promise<(() => void) | null> }

export function createWorldShare(): WorldShare {
  const underWay: Record<World, number> = { live: 0, sandbox: 0 }
  const waiting = new Set<() => void>()

  const mayStart = () => underWay.sandbox < (underWay.live > 0 ? AT_ONCE_BESIDE_LIVE : AT_ONCE_ALONE)

  function startWaiting(): void {
    for (const start of waiting) {
      if (!mayStart()) return
      waiting.delete(start)
      // Counted here and not when the request continues, because the next request of this loop must see it.
      underWay.sandbox++
      start()
    }
  }

  const end = (world: World) => () => {
    underWay[world]--
    startWaiting()
  }

  async function wait(): Promise<boolean> {
    if (waiting.size >= QUEUE_MAX) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const start = () => resolve(true)
    waiting.add(start)
    const timer = setTimeout(() => resolve(!waiting.delete(start)), WAIT_MAX_MS)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async enter(world) {
      if (world === 'live' || mayStart()) underWay[world]++
      else if (!(await wait())) return null
      return end(world)
    },
  }
}
