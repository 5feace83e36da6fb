/**
 * Collects concurrent writes into one statement. A durable write spends most of its time on the commit, and under load one
 * commit now serves many callers. A single caller does not wait for others.
 */
import { AppError } from '../errors.ts'
import type { Db } from './db.ts'

const BATCH_MAX = 192
/** Two at once: the first waits for the disk while the second is being executed. */
const IN_FLIGHT_MAX = 2
/** A statement that takes longer may be waiting for another process that claims the same key. Nobody else waits with it. */
const SLOW_MS = 25

type Waiting<In, Out> = { item: In; resolve(out: Out): void; reject(error: unknown): void }
/** `enough`: as many waiting items start a second statement. */
type Queue<In, Out> = { waiting: Waiting<In, Out>[]; inFlight: number; enough: number }

/**
 * Returns a function of one item. `write` takes many items and returns one result for each, in the same order.
 * If a batch fails because of its content, its items are written one at a time, so that only the bad item fails.
 */
export function batched<In, Out>(write: (db: Db, items: In[]) => Promise<Out[]>) {
  const queues = new WeakMap<Db, Queue<In, Out>>()

  async function flush(db: Db, batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await write(
        db,
        batch.map((entry) => entry.item),
      )
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Out)
    } catch (error) {
      const failsWhole = batch.length === 1 || error instanceof AppError
      for (const entry of batch) await (failsWhole ? entry.reject(error) : flush(db, [entry]))
    }
  }

  /**
   * A second statement starts if it carries as many items as the first. Fewer and larger statements need less time for each item, and
   * a caller beside a single other one still does not wait.
   */
  function pump(db: Db, queue: Queue<In, Out>): void {
    const minimum = () => (queue.inFlight === 0 ? 1 : queue.enough)
    while (queue.inFlight < IN_FLIGHT_MAX && queue.waiting.length >= minimum()) {
      const batch = queue.waiting.splice(0, BATCH_MAX)
      queue.inFlight++
      queue.enough = batch.length
      const whenSlow = setTimeout(() => {
        queue.enough = 1
        pump(db, queue)
      }, SLOW_MS)
      void flush(db, batch).finally(() => {
        clearTimeout(whenSlow)
        queue.inFlight--
        pump(db, queue)
      })
    }
  }

  function openQueue(db: Db): Queue<In, Out> {
    const queue = { waiting: [], inFlight: 0, enough: 1 }
    queues.set(db, queue)
    return queue
  }

  return (db: Db, item: In): Promise<Out> => {
    const queue = queues.get(db) ?? openQueue(db)
    const { promise, resolve, reject } = Promise.withResolvers<Out>()
    queue.waiting.push({ item, resolve, reject })
    // Wait for the next turn of the event loop, so that requests that were read in this turn share one statement.
    if (queue.waiting.length === 1) setImmediate(pump, db, queue)
    return promise
  }
}
