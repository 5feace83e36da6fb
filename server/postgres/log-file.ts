// Keeps the postmaster's log bounded. PostgreSQL writes it through a file that stays open, in append mode, so the file is not
// renamed: its lines are copied to postgres.log.1 and the file is emptied. PostgreSQL then goes on at its beginning.

import { chown, copyFile, open, stat, truncate } from 'node:fs/promises'
import { explainFileError } from './error.ts'
import type { Place } from './place.ts'

const LOG_LIMIT_BYTES = 10 * 1024 * 1024
/** How often a process that holds the server looks. */
export const LOG_CHECK_MS = 60_000

/** Opens the log for a postmaster that is to be launched. */
export async function openLog(place: Place) {
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

/** Moves the lines of a log that has grown into the file of earlier lines. A line that is written in that very moment may be lost. */
export async function boundLog({ logFile, account }: Pick<Place, 'logFile' | 'account'>): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= LOG_LIMIT_BYTES) return
  // On a full disk there is no room for a copy. The log must become smaller all the same.
  const earlier = `${logFile}.1`
  await copyFile(logFile, earlier).catch(() => undefined)
  if (account) await chown(earlier, account.uid, account.gid).catch(() => undefined)
  await truncate(logFile)
}

/** Bounds the log from now on. Returns the function that ends that. */
export function keepLogBounded(place: Place, everyMs: number): () => void {
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
