/**
 * How much the process sends now. Each merchant has one receiver, so the counts are kept by merchant. They are kept for each
 * process: to count over all processes, each would have to wait for the others.
 */

/** Concurrent exchanges with one receiver. */
const PER_RECEIVER_MAX = 4
/** Concurrent exchanges of the process. 128 receivers can hang at once before others wait for them. */
const PER_PROCESS_MAX = 512
/** Events that one receiver has accepted and that are not recorded yet. Such events share one write. */
const UNRECORDED_MAX = 64

export type DeliveryLoad = ReturnType<typeof createDeliveryLoad>

export function createDeliveryLoad() {
  const exchanges = createCounter()
  const unrecorded = createCounter()
  /** By event id, or by the list of events that are being released. */
  const running = new Map<string | object, Promise<void>>()
  return {
    exchanges,
    unrecorded,
    isFull: () => running.size >= PER_PROCESS_MAX,
    hasRoom: (merchantId: string) =>
      exchanges.of(merchantId) < PER_RECEIVER_MAX && unrecorded.of(merchantId) < UNRECORDED_MAX,
    mayClaim: (merchantId: string) => unrecorded.of(merchantId) < UNRECORDED_MAX,
    isRunning: (key: string) => running.has(key),
    /** Counts `work` as running until it ends, and calls `after` then. */
    run(key: string | object, work: Promise<void>, after = () => {}): void {
      const ended = work.finally(() => {
        running.delete(key)
        after()
      })
      running.set(key, ended)
    },
    /** Waits until nothing is running. */
    async settle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}

/** Counts by merchant. Merchants at zero take no memory. */
function createCounter() {
  const counts = new Map<string, number>()
  return {
    of: (merchantId: string) => counts.get(merchantId) ?? 0,
    add(merchantId: string, change: 1 | -1) {
      const count = (counts.get(merchantId) ?? 0) + change
      if (count > 0) counts.set(merchantId, count)
      else counts.delete(merchantId)
    },
  }
}
