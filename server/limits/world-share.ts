/**
 * Keeps the sandbox from slowing the live world down where one deployment serves both. Live work never waits. While live work is
 * being done, the sandbox does one piece of work at a time and pauses after each piece, so that it uses a small part of the time.
 * When no live work has been done for a second, the sandbox has no limit.
 */

/** The part of the time that the sandbox gets while live work is being done. */
const SANDBOX_PART = 0.1
/** The live world counts as busy until this long after its last work. */
const BUSY_MS = 1_000
/**
 * A piece of work that takes longer probably waits for a provider or a slow client. It gives its place up, so that it holds up
 * nobody else.
 */
const PLACE_MAX_MS = 50
const QUEUE_MAX = 128
/** One caller can fill no more than a part of the queue. The callers take turns. */
const QUEUE_PER_CALLER_MAX = 32
const WAIT_MAX_MS = 5_000

export type Share = {
  /**
   * Waits until a request of this caller may start. Resolves to the function that ends the request. Resolves to null if the queue is
   * full, if the wait was too long, or if `isGone` returns true because nobody waits for the response any more.
   */
  enter(caller: string, isGone: () => boolean): Promise<(() => void) | null>
  /**
   * Does a piece of a worker's work when it may start. Waits for as long as that takes, or until `isStopping` returns true: then the
   * piece starts at once. A piece must not wait for another piece.
   */
  run<T>(piece: () => Promise<T>, isStopping?: () => boolean): Promise<T>
  /** True while pieces of work should be as small as possible. */
  isScarce(): boolean
  /** How many requests and pieces of work wait. */
  countWaiting(): number
}

/** The share of a world that has the deployment for itself. */
export const WHOLE_SHARE: Share = {
  enter: async () => () => {},
  run: (piece) => piece(),
  isScarce: () => false,
  countWaiting: () => 0,
}

export type WorldShares = {
  live: Share
  sandbox: Share
  /** Whether this process has done live work within the last second. */
  isLiveBusy(): boolean
  /** Another process does live work. It counts as busy for `ms` from now on. */
  noteLiveElsewhere(ms: number): void
}

type EndRequest = () => void
/** `giveUpAt`: in ms of `performance.now()`. `start` gets null if the work may not start. */
type Waiting = { isGone(): boolean; giveUpAt: number; start(leave: EndRequest | null): void }

/** The work of the sandbox that waits for its turn. */
type Queued = {
  /** By caller. The first caller's first entry is the next to start. */
  queues: Map<string, Waiting[]>
  isTaken: boolean
  pausesUntil: number
  timer: NodeJS.Timeout | undefined
  isScarce(): boolean
}

const WORKER = 'worker'

export function createWorldShares(): WorldShares {
  let liveAt = Number.NEGATIVE_INFINITY
  let busyElsewhereUntil = Number.NEGATIVE_INFINITY
  const noteLive = () => {
    liveAt = performance.now()
  }
  const isLiveBusy = () => performance.now() < liveAt + BUSY_MS
  const isScarce = () => isLiveBusy() || performance.now() < busyElsewhereUntil
  const queued: Queued = { queues: new Map(), isTaken: false, pausesUntil: 0, timer: undefined, isScarce }

  return {
    live: {
      async enter() {
        noteLive()
        return noteLive
      },
      async run(piece) {
        noteLive()
        return piece().finally(noteLive)
      },
      isScarce: () => false,
      countWaiting: () => 0,
    },
    sandbox: {
      async enter(caller, isGone) {
        if (!isScarce()) return () => {}
        dropGone(queued)
        const own = queued.queues.get(caller)?.length ?? 0
        if (own >= QUEUE_PER_CALLER_MAX || listWaiting(queued).length >= QUEUE_MAX) return null
        return waitForTurn(queued, caller, { isGone, giveUpAt: performance.now() + WAIT_MAX_MS })
      },
      async run(piece, isStopping = () => false) {
        if (!isScarce()) return piece()
        const waiting = { isGone: isStopping, giveUpAt: Number.POSITIVE_INFINITY }
        const leave = await waitForTurn(queued, WORKER, waiting)
        return piece().finally(() => leave?.())
      },
      isScarce,
      countWaiting: () => listWaiting(queued).length,
    },
    isLiveBusy,
    noteLiveElsewhere(ms) {
      busyElsewhereUntil = Math.max(busyElsewhereUntil, performance.now() + ms)
    },
  }
}

function waitForTurn(
  queued: Queued,
  caller: string,
  waiting: Omit<Waiting, 'start'>,
): Promise<EndRequest | null> {
  const { promise, resolve } = Promise.withResolvers<EndRequest | null>()
  const queue = queued.queues.get(caller)
  const entry = { ...waiting, start: resolve }
  if (queue) queue.push(entry)
  else queued.queues.set(caller, [entry])
  startWaiting(queued)
  return promise
}

/** Starts what may start now, and looks again when the pause is over. The end of a place looks again too. */
function startWaiting(queued: Queued): void {
  const { queues } = queued
  clearTimeout(queued.timer)
  dropGone(queued)
  if (!queued.isScarce()) startAll(queued)
  const [next] = queues
  if (!next || queued.isTaken) return
  const pauseMs = queued.pausesUntil - performance.now()
  if (pauseMs > 0) {
    queued.timer = setTimeout(startWaiting, pauseMs, queued)
    return
  }
  const [caller, [first, ...rest]] = next
  queues.delete(caller)
  if (rest.length > 0) queues.set(caller, rest)
  first?.start(holdPlace(queued))
}

const listWaiting = ({ queues }: Queued) => [...queues.values()].flat()

function startAll(queued: Queued): void {
  const all = listWaiting(queued)
  queued.queues.clear()
  for (const { start } of all) start(() => {})
}

function dropGone({ queues }: Queued): void {
  const now = performance.now()
  for (const [caller, queue] of queues) {
    const left = queue.filter((each) => {
      const stays = now < each.giveUpAt && !each.isGone()
      if (!stays) each.start(null)
      return stays
    })
    if (left.length > 0) queues.set(caller, left)
    else queues.delete(caller)
  }
}

/** Takes the place until the returned function is called, or until PLACE_MAX_MS have passed. */
function holdPlace(queued: Queued): EndRequest {
  const started = performance.now()
  let isHeld = true
  queued.isTaken = true
  const leave = () => {
    if (!isHeld) return
    isHeld = false
    queued.isTaken = false
    clearTimeout(limit)
    const now = performance.now()
    const usedMs = Math.min(now - started, PLACE_MAX_MS)
    queued.pausesUntil = now + usedMs * (1 / SANDBOX_PART - 1)
    startWaiting(queued)
  }
  const limit = setTimeout(leave, PLACE_MAX_MS)
  return leave
}
