/** Short locks on the tables of a database that is in use. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { type Db, inTransaction, limitLockWait, type Tx, withoutTimeLimits } from '../db.ts'

/** Meanwhile every other writer of the table waits too, so it is short. */
const LOCK_WAIT_MS = 1_000
const TRIES_MAX = 30
const TRY_PAUSE_MS = 200
const LOCKED =
  'Another program keeps a table of this database locked, such as a backup or a forgotten session. Wait until it has ended, or end it, and run this command again.'

/**
 * Runs `work` in a short transaction that waits for the transactions that are writing one table. It must lock only that table:
 * then it cannot deadlock with the service, which writes several tables in one transaction.
 * @throws AppError request_in_progress if another transaction keeps the table locked
 */
export async function whileOthersWrite<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(db, async (tx) => {
        await limitLockWait(tx, LOCK_WAIT_MS)
        return work(tx)
      })
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'request_in_progress'
      if (!isBusy) throw error
      if (tries >= TRIES_MAX) throw new AppError('request_in_progress', { message: LOCKED, cause: error })
      await sleep(TRY_PAUSE_MS)
    }
  }
}

/** An arbitrary constant of Kassa's: the advisory lock of the command that moves a database. */
const MOVE_LOCK = 0x6b6d6f7665
/** PostgreSQL ends the connection of a killed command a moment later. */
const LEAVING_MS = 5_000
const LOOK_MS = 100

/**
 * Runs `work` while no other command moves anything out of this database or into it. Returns null if another one does.
 * `expectAlone`: fails if the connection that holds the lock was lost, because another command may be at work by now.
 */
export function whileMoving<T>(
  db: Db,
  work: (expectAlone: () => Promise<void>) => Promise<T>,
): Promise<T | null> {
  return withoutTimeLimits(db, async (client) => {
    // The connection does nothing but hold the lock, perhaps for hours.
    await client.query('set idle_session_timeout = 0')
    const untilMs = performance.now() + LEAVING_MS
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        MOVE_LOCK,
      ])
      if (rows[0]?.taken) return work(async () => void (await client.query('select')))
      if (performance.now() >= untilMs) return null
      await sleep(LOOK_MS)
    }
  })
}
