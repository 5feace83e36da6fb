/** Waits for what other sessions of PostgreSQL do. */
import { vi } from 'vitest'
import type { Db } from '../storage/db.ts'

const LOOK = { timeout: 100_000, interval: 10 }
const WAITING = `select exists (select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock') as found`

/** Until a statement waits for a lock of another session in the same database. */
export const untilLockIsWaitedFor = (db: Db): Promise<unknown> =>
  vi.waitUntil(async () => (await db.query(WAITING)).rows[0]?.found, LOOK)

/** Until PostgreSQL has ended these sessions. `sessions`: their process numbers. */
export const untilSessionsEnd = (db: Db, sessions: unknown[]): Promise<unknown> =>
  vi.waitUntil(async () => {
    const { rowCount } = await db.query('select from pg_stat_activity where pid = any($1::int[])', [sessions])
    return rowCount === 0
  }, LOOK)
