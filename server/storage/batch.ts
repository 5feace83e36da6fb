/**
 * Collects concurrent writes into one statement. A durable write spends most of its time on the commit, and under load one
 * commit now serves many callers. A single caller does not wait for others.
 */
import { AppError } from '../errors.ts'
import type { Db } from './db.ts'

const BATCH_MAX = 64
/** Two at once: the first waits for the disk while the second is being planned. */
const IN_FLIGHT_MAX = 2

type Waiting<In, Out> = { item: In; resolve(out: Out): void; reject(error: unknown): void }
type Queue<In, Out> = { waiting: Waiting<In, Out>[]; inFlight: number }

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

  function pump(db: Db, queue: Queue<In, Out>): void {
    while (queue.waiting.length > 0 && queue.inFlight < IN_FLIGHT_MAX) {
      queue.inFlight++
      void flush(db, queue.waiting.splice(0, BATCH_MAX)).finally(() => {
        queue.inFlight--
        pump(db, queue)
      })
    }
  }

  return (db: Db, item: In): Promise<Out> => {
    const queue = queues.get(db) ?? { waiting: [], inFlight: 0 }
    queues.set(db, queue)
    const { promise, resolve, reject } = Promise.withResolvers<Out>()
    queue.waiting.push({ item, resolve, reject })
    // Wait for the next turn of the event loop, so that requests that were read in this turn share one statement.
    if (queue.waiting.length === 1) setImmediate(pump, db, queue)
    return promise
  }
}
