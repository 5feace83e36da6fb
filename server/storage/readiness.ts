import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from './db.ts'

const QUESTION_TIMEOUT_MS = 2_000

/** Returns whether the database answers a query within two seconds. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  const timer = new AbortController()
  const answered = db.query('select').then(
    () => true,
    () => false,
  )
  const tooLate = sleep(QUESTION_TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false)
  const ready = await Promise.race([answered, tooLate])
  timer.abort()
  return ready
}
