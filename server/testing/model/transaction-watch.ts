/** Finds a transaction that stays open while a provider is called. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../storage/db.ts'

const IDLE = `select pid || ' ' || state_change as session from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction'`
/** Another actor's transaction sends its next statement long before the last look. */
const LOOKS_AFTER_MS = [30, 120, 500]

/**
 * Call it inside a provider's call. The caller waits for the provider, so a transaction of the caller's sends no statement. Returns
 * true if a transaction was idle all the time.
 */
export async function holdsTransaction(db: Db): Promise<boolean> {
  let idle: string[] | null = null
  for (const afterMs of [0, ...LOOKS_AFTER_MS]) {
    if (afterMs > 0) await sleep(afterMs)
    const { rows } = await db.query<{ session: string }>(IDLE)
    const now = rows.map(({ session }) => session)
    idle = idle === null ? now : idle.filter((each) => now.includes(each))
    if (idle.length === 0) return false
  }
  return true
}
