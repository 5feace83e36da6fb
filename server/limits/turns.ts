/**
 * A bounded queue for work that is expensive. The callers take turns, so whoever sends much waits for himself and not others for him.
 * Nobody waits for long: whoever has no place, has waited too long or has left is told so, and the work is never begun.
 */
import type { Leave } from './at-once.ts'

export type Turns = {
  /**
   * Resolves to the function that ends the turn; null if there is no turn. `gone`: is aborted when nobody waits for the result any
   * more.
   */
  enter(caller: string, gone: AbortSignal): Promise<Leave | null>
  /** How many wait. */
  countWaiting(): number
}

export type TurnLimits = { atOnce: number; waiting: number; waitingOfCaller: number; waitMs: number }

type Place = { start(leave: Leave | null): void }

type Queues = Map<string, Place[]>

function remove(queues: Queues, caller: string, place: Place): void {
  const left = (queues.get(caller) ?? []).filter((each) => each !== place)
  if (left.length > 0) queues.set(caller, left)
  else queues.delete(caller)
}

/** The caller with the most places gives one to whoever has fewer. Returns false if nobody has more. */
function makeRoom(queues: Queues, own: number): boolean {
  const [longest] = [...queues].sort(([, one], [, other]) => other.length - one.length)
  const [caller = '', places = []] = longest ?? []
  const last = places.at(-1)
  if (!last || places.length <= own + 1) return false
  remove(queues, caller, last)
  last.start(null)
  return true
}

export function createTurns({ atOnce, waiting, waitingOfCaller, waitMs }: TurnLimits): Turns {
  /** By caller. The first caller's first place is the next to start. */
  const queues: Queues = new Map()
  let running = 0
  const countWaiting = () => [...queues.values()].reduce((sum, { length }) => sum + length, 0)

  function startNext(): void {
    const [next] = queues
    if (!next) return
    const [caller, [first, ...rest]] = next
    queues.delete(caller)
    if (rest.length > 0) queues.set(caller, rest)
    running++
    first?.start(leaveOnce())
  }

  function leaveOnce(): Leave {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      running--
      startNext()
    }
  }

  return {
    enter(caller, gone) {
      if (gone.aborted) return Promise.resolve(null)
      if (running < atOnce) {
        running++
        return Promise.resolve(leaveOnce())
      }
      const own = queues.get(caller)?.length ?? 0
      if (own >= waitingOfCaller || (countWaiting() >= waiting && !makeRoom(queues, own)))
        return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<Leave | null>()
      const giveUp = () => {
        remove(queues, caller, place)
        place.start(null)
      }
      const timer = setTimeout(giveUp, waitMs)
      const place: Place = {
        start(leave) {
          clearTimeout(timer)
          gone.removeEventListener('abort', giveUp)
          resolve(leave)
        },
      }
      gone.addEventListener('abort', giveUp, { once: true })
      queues.set(caller, [...(queues.get(caller) ?? []), place])
      return promise
    },
    countWaiting,
  }
}
