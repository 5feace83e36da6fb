/** A directory with a series of backups: each is named by its time, and old ones are deleted. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, unfit } from './manifest.ts'

const PARTIAL = '.partial'
const NAME = /^kassa-backup-\d{8}T\d{6}Z$/

/** Returns the name of a backup that was made at this time. Names sort by time. */
export function nameOfBackup(at: Date): string {
  return `kassa-backup-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
}

/** Returns the directory of the newest complete backup of a series; null if there is none. */
export async function findNewest(series: string): Promise<string | null> {
  const [newest] = await listComplete(series, await listNames(series))
  return newest === undefined ? null : join(series, newest)
}

/**
 * Deletes all but the newest `keep` backups of a series, and what interrupted backups before the newest have left. Other files and
 * directories stay. Returns the names of the deleted ones.
 */
export async function deleteOldBackups(series: string, keep: number): Promise<string[]> {
  const names = await listNames(series)
  const complete = await listComplete(series, names)
  const newest = complete[0] ?? ''
  const partial = names.filter((name) => name.endsWith(PARTIAL) && name < newest)
  const old = [...complete.slice(keep), ...partial]
  for (const name of old) await rm(join(series, name), { recursive: true })
  return old
}

/** Returns the names of a series, the newest first, also of backups that are not complete. */
async function listNames(series: string): Promise<string[]> {
  const names = await readdir(series).catch((error: NodeJS.ErrnoException) => {
    throw unfit(`${series} cannot be read (${error.code}). Choose the directory with the backups.`)
  })
  return names
    .filter((name) => NAME.test(name.replace(PARTIAL, '')))
    .sort()
    .reverse()
}

async function listComplete(series: string, names: readonly string[]): Promise<string[]> {
  const complete: string[] = []
  for (const name of names)
    if (!name.endsWith(PARTIAL) && (await readManifest(join(series, name)).catch(() => null)))
      complete.push(name)
  return complete
}
