/**
 * Stores the requests to providers and their responses in the background, so that no call waits for it or fails because of it.
 * Lines that cannot be stored are dropped, and the log says how many.
 */
import type { Exchange } from '../providers/http.ts'
import type { Db } from '../storage/db.ts'
import { type ExchangeRecord, insertExchanges } from '../storage/exchanges.ts'
import type { Log } from './log.ts'

const WAITING_MAX = 1_000
const BATCH = 100

export type ExchangeLog = {
  record(exchange: Exchange): void
  /** Resolves when everything recorded so far is stored or dropped. */
  flush(): Promise<void>
}

export function createExchangeLog({ db, now, log }: { db: Db; now: () => Date; log: Log }): ExchangeLog {
  let waiting: ExchangeRecord[] = []
  let dropped = 0
  let storing: Promise<void> | null = null

  async function store(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await insertExchanges(db, batch).catch((error: unknown) => {
        log.warn({ err: error, lines: batch.length }, 'lines of the exchange log could not be stored')
      })
    }
    if (dropped > 0) log.warn({ lines: dropped }, 'lines of the exchange log were dropped: too many at once')
    dropped = 0
    storing = null
  }

  return {
    record(exchange) {
      if (waiting.length >= WAITING_MAX) {
        dropped++
        return
      }
      waiting.push({ ...exchange, createdAt: now() })
      storing ??= Promise.resolve().then(store)
    },
    async flush() {
      await storing
    },
  }
}
