// Limits the size of the postmaster's log. PostgreSQL keeps the file open in append mode, so renaming it would not help. Its
// lines are copied to postgres.log.1, and the file is emptied. PostgreSQL then continues at the beginning of the file.

import { chown, copyFile, open, stat, truncate } from 'node:fs/promises'
import { explainFileError } from './error.ts'
import type { ServerPlace } from './place.ts'

const LOG_LIMIT_BYTES = 10 * 1024 * 1024
/** How often a process that holds the server checks the size. */
export const LOG_CHECK_MS = 60_000

/** Opens the log for a postmaster that is to be launched. */
export async function openLog(place: ServerPlace) {
  try {
    await boundLog(place)
    const log = await open(place.logFile, 'a', 0o600)
    // The account must be able to use this directory later, when Kassa is no longer started by root.
    if (place.account) await chown(place.logFile, place.account.uid, place.account.gid)
    return log
  } catch (error) {
    throw explainFileError(error, place.logFile)
  }
}

/** Moves the lines of a large log into the file of earlier lines. A line that is written at the same moment may be lost. */
async function boundLog({ logFile, account }: Pick<ServerPlace, 'logFile' | 'account'>): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= LOG_LIMIT_BYTES) return
  // On a full disk the copy fails. The log must be emptied anyway.
  const earlier = `${logFile}.1`
  await copyFile(logFile, earlier).catch(() => undefined)
  if (account) await chown(earlier, account.uid, account.gid).catch(() => undefined)
  await truncate(logFile)
}

/** Limits the log from now on. Returns a function that stops this. */
export function keepLogBounded(place: ServerPlace, everyMs: number): () => void {
  let isBusy = false
  const look = async () => {
    // Two copies at once would leave an empty one.
    if (isBusy) return
    isBusy = true
    await boundLog(place).catch(() => undefined)
    isBusy = false
  }
  const timer = setInterval(look, everyMs).unref()
  return () => clearInterval(timer)
}
