/**
 * Why this process is not ready. Without the database nothing works, a process whose keys do not open the stored secrets cannot sign
 * events, and a database that is moved stores nothing.
 */
import type { Context } from './context.ts'
import { nameOf } from './settings/table.ts'
import { findArrival } from './storage/backup/arrival.ts'
import { findMove } from './storage/backup/fence.ts'
import { isDatabaseReady } from './storage/server-facts.ts'
import { listUsedKeyIds } from './storage/used-keys.ts'

/** The results of these checks are cached for this long, because the health endpoint and the probes have no rate limit. */
const CHECKS_CACHE_MS = 5_000
/** All callers share one question to the database, and its result for this long. */
const SHARED_MS = 200

/** Returns a function that lists what keeps this process from working, in the operator's words. */
export function blockersOf(db: Context['db'], vault: Context['vault']): Context['readinessBlockers'] {
  const read = readerOf(db, vault)
  let shared: Promise<string[]> | null = null
  return () => {
    shared ??= read().finally(() => void setTimeout(() => (shared = null), SHARED_MS).unref())
    return shared
  }
}

function readerOf(db: Context['db'], vault: Context['vault']): Context['readinessBlockers'] {
  let checked = { until: 0, blockers: [] as string[] }
  return async () => {
    if (!(await isDatabaseReady(db))) return ['the database does not answer']
    if (performance.now() >= checked.until) {
      const move = await describeMove(db).catch(() => null)
      const blockers = [
        ...((await opensAll(db, vault))
          ? []
          : ['some stored secrets cannot be opened with the keys of this process']),
        ...(move ? [move] : []),
      ]
      checked = { until: performance.now() + CHECKS_CACHE_MS, blockers }
    }
    return checked.blockers
  }
}

/** Returns why nothing can be stored in this database; null if it is neither moved nor being moved. */
async function describeMove(db: Context['db']): Promise<string | null> {
  if (await findArrival(db)) return 'a move into this database has not ended'
  const move = await findMove(db)
  if (move?.finishedAt)
    return `everything was moved to ${move.target}: set ${nameOf('databaseUrl')} to it and restart this process`
  return move ? `everything is being moved to ${move.target}` : null
}

async function opensAll(db: Context['db'], { keyIds }: Context['vault']): Promise<boolean> {
  const used = await listUsedKeyIds(db).catch(() => [])
  return used.every((keyId) => keyIds.includes(keyId))
}
