/**
 * Limits work that is expensive. A caller may have a bounded number of requests under way. Beyond that there is a bounded queue, in which
 * the callers take turns: a caller without a turn yet goes first, then the one whose last turn is longest ago. So a caller who sends much
 * waits for his own requests only, and a new caller waits for one turn, however many others send without end. Waiting is short. A caller
 * without a place, or who waited too long or left, gets an error, and the work never begins.
 */
export type TurnQueue = {
  /**
   * Resolves to the function that ends the turn; null if there is no turn. `gone`: is aborted when nobody waits for the result any
   * more.
   */
  enter(caller: string, gone: AbortSignal): Promise<EndWork | null>
  /** How many wait. */
  countWaiting(): number
}

/** `remembered`: for how many callers the time of the last turn is kept. A forgotten caller counts as new. */
type TurnLimits = {
  atOnce: number
  waiting: number
  waitingOfCaller: number
  waitMs: number
  remembered: number
}

type Place = { start(leave: EndWork | null): void }

/** Who had a turn when. Keeps the latest callers only. */
function createHistory(max: number) {
  /** Their last turns' numbers, the earliest first. */
  const lastTurns = new Map<string, number>()
  let turns = 0
  return {
    add(caller: string): void {
      lastTurns.delete(caller)
      lastTurns.set(caller, ++turns)
      const [earliest] = lastTurns.keys()
      if (lastTurns.size > max && earliest !== undefined) lastTurns.delete(earliest)
    },
    /** 0: none that is remembered. */
    lastOf: (caller: string): number => lastTurns.get(caller) ?? 0,
  }
}

/** The places of those who wait. */
function createQueue({ lastOf }: ReturnType<typeof createHistory>) {
  const places = new Map<string, Place[]>()
  const listOf = (caller: string) => places.get(caller) ?? []
  const put = (caller: string, list: Place[]) =>
    list.length > 0 ? places.set(caller, list) : places.delete(caller)
  const remove = (caller: string, place: Place) =>
    put(
      caller,
      listOf(caller).filter((each) => each !== place),
    )
  return {
    remove,
    add: (caller: string, place: Place) => put(caller, [...listOf(caller), place]),
    countOf: (caller: string) => listOf(caller).length,
    countAll: () => [...places.values()].reduce((sum, { length }) => sum + length, 0),
    takeNext(): { caller: string; place: Place } | null {
      const [next] = [...places].sort(([one], [other]) => lastOf(one) - lastOf(other))
      const [caller = '', [place] = []] = next ?? []
      if (!place) return null
      remove(caller, place)
      return { caller, place }
    },
    /**
     * The caller with the most places gives one to a caller with fewer. If all have one place, the caller with the latest turn gives it
     * to a caller without a turn since then. Returns false if nobody has one to give.
     */
    makeRoom(caller: string): boolean {
      const [from] = [...places].sort(
        ([one, { length }], [other, others]) => others.length - length || lastOf(other) - lastOf(one),
      )
      const [giver = '', given = []] = from ?? []
      const [own, last] = [listOf(caller).length, given.at(-1)]
      const isEarlier = own === 0 && lastOf(giver) > lastOf(caller)
      if (!last || (given.length <= own + 1 && !isEarlier)) return false
      remove(giver, last)
      last.start(null)
      return true
    },
  }
}

export function createTurns({ atOnce, waiting, waitingOfCaller, waitMs, remembered }: TurnLimits): TurnQueue {
  const history = createHistory(remembered)
  const queue = createQueue(history)
  let running = 0

  function begin(caller: string): EndWork {
    history.add(caller)
    running++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      running--
      const next = queue.takeNext()
      next?.place.start(begin(next.caller))
    }
  }

  return {
    enter(caller, gone) {
      if (gone.aborted) return Promise.resolve(null)
      if (running < atOnce) return Promise.resolve(begin(caller))
      if (
        queue.countOf(caller) >= waitingOfCaller ||
        (queue.countAll() >= waiting && !queue.makeRoom(caller))
      )
        return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<EndWork | null>()
      const giveUp = () => {
        queue.remove(caller, place)
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
      queue.add(caller, place)
      return promise
    },
    countWaiting: queue.countAll,
  }
}

/** Ends one piece of work. */
export type EndWork = () => void

/** The returned function starts a piece of work of this caller. It returns null if the caller has `max` under way already. */
export function createAtOnce(max: number): (caller: string) => EndWork | null {
  const underWay = new Map<string, number>()
  return (caller) => {
    const count = underWay.get(caller) ?? 0
    if (count >= max) return null
    underWay.set(caller, count + 1)
    return () => {
      const left = (underWay.get(caller) ?? 1) - 1
      if (left > 0) underWay.set(caller, left)
      else underWay.delete(caller)
    }
  }
}
