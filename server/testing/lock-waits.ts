/** Waits until a statement waits for a lock of another session in the same database. */
import { vi } from 'vitest'
import type { Db } from '../storage/db.ts'

const LOOK = { timeout: 100_000, interval: 10 }
const WAITING = `select exists (select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock') as found`

export const untilLockIsWaitedFor = (db: Db): Promise<unknown> =>
  vi.waitUntil(async () => (await db.query(WAITING)).rows[0]?.found, LOOK)
