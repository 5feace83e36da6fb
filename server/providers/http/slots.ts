/**
 * The slots of one account: how many of its requests may run at once, and in which order those that wait may start. Each request
 * belongs to a class, which its caller chooses.
 * Rule: a part of the slots is kept for each class, and nobody else uses it. The other slots go to the highest class that waits. So
 * a flood of one class never stops another one.
 */

/**
 * The classes of requests, the highest first. `free`: the slots that are kept for this class. `queue`: how many of its requests may
 * wait. `money`: moves money, or asks what came of it. `creation`: opens an order. `buyer`: somebody known waits for the answer, such
 * as a buyer who comes back. `schedule`: the worker's questions, and callbacks. `stranger`: anybody can cause it as often as they
 * like, or the call can do without it.
 */
export const GATE_CLASSES = {
  money: { free: 3, queue: 200 },
  creation: { free: 4, queue: 200 },
  buyer: { free: 3, queue: 200 },
  schedule: { free: 2, queue: 200 },
  stranger: { free: 1, queue: 200 },
}

export type GateLane = keyof typeof GATE_CLASSES
export const GATE_LANES = Object.keys(GATE_CLASSES) as GateLane[]

export type SlotLimits = {
  /** How many requests may run at once. It is more than all `free` slots together. */
  concurrency: number
  classes: Record<GateLane, { free: number; queue: number }>
}

type Slots = { running: Record<GateLane, number>; waiting: Record<GateLane, Set<() => void>> }

export function createSlots(limits: SlotLimits) {
  const slots: Slots = {
    running: { money: 0, creation: 0, buyer: 0, schedule: 0, stranger: 0 },
    waiting: {
      money: new Set(),
      creation: new Set(),
      buyer: new Set(),
      schedule: new Set(),
      stranger: new Set(),
    },
  }
  return {
    /** Resolves when the request has a slot. @throws Error with `sent: false` */
    take: (lane: GateLane, signal: AbortSignal) => waitForSlot(slots, limits, { lane, signal }),
    /** Ends a request, and starts those that may run now. */
    free(lane: GateLane): void {
      slots.running[lane]--
      startWaiting(slots, limits)
    },
  }
}

/** Whether one more request of the class may run: in a slot that is kept for it, or in one that is kept for nobody. */
function hasRoom({ running }: Slots, { concurrency, classes }: SlotLimits, lane: GateLane): boolean {
  if (running[lane] < classes[lane].free) return true
  const taken = GATE_LANES.map((each) => Math.max(running[each], classes[each].free))
  return taken.reduce((sum, each) => sum + each, 0) < concurrency
}

async function waitForSlot(
  slots: Slots,
  limits: SlotLimits,
  { lane, signal }: { lane: GateLane; signal: AbortSignal },
): Promise<void> {
  if (hasRoom(slots, limits, lane)) {
    slots.running[lane]++
    return
  }
  const waiting = slots.waiting[lane]
  if (waiting.size >= limits.classes[lane].queue)
    throw unsent('too many requests of this account are waiting')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopWaiting = () => {
    if (waiting.delete(resolve))
      reject(unsent('the request waited too long, because this account has too many requests'))
  }
  waiting.add(resolve)
  signal.addEventListener('abort', stopWaiting, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', stopWaiting))
}

/** Starts the waiting requests that have room. The highest class is first, and in a class the one that has waited longest. */
function startWaiting(slots: Slots, limits: SlotLimits): void {
  for (const lane of GATE_LANES)
    for (const start of slots.waiting[lane]) {
      if (!hasRoom(slots, limits, lane)) break
      slots.waiting[lane].delete(start)
      slots.running[lane]++
      start()
    }
}

/** Returns the error of a request that was not sent. */
export function unsent(message: string): Error {
  return Object.assign(new Error(message), { name: 'ProviderHttpError', sent: false })
}
