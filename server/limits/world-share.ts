/**
 * Keeps the sandbox from slowing the live world down where one process serves both. Real payments never wait. While any is
 * under way, one sandbox request at a time is worked on; the others queue.
 */
import type { World } from '../contract/health.ts'

/** Sandbox requests at once while no live request is under way. */
const AT_ONCE_ALONE = 8
const AT_ONCE_BESIDE_LIVE = 1
const QUEUE_MAX = 500
const WAIT_MAX_MS = 10_000

/** `enter` resolves to the function that ends the request; null: the queue is full, or the wait was too long. */
export type WorldShare = { enter(world: World): Promise<(() => void) | null> }

export function createWorldShare(): WorldShare {
  const underWay: Record<World, number> = { live: 0, sandbox: 0 }
  const waiting = new Set<() => void>()

  const mayStart = () => underWay.sandbox < (underWay.live > 0 ? AT_ONCE_BESIDE_LIVE : AT_ONCE_ALONE)

  function startWaiting(): void {
    for (const start of waiting) {
      if (!mayStart()) return
      waiting.delete(start)
      // Counted here, not when the request goes on: the next one in this loop must see it.
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
