/** What a start and an operator need to know of the machine: the time, the free disk space and the age of the last backup. */
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { type Context, machineClock, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { defaultDataDir } from '../postgres/embedded.ts'
import { nameOf } from '../settings/table.ts'
import { findBackupSeries, measureBackupAge } from '../storage/backup/facts.ts'
import { findMove, type Move } from '../storage/backup/fence.ts'
import { readDatabaseClock } from '../storage/server-facts.ts'

/** Tests replace the real machine with another one. */
export type Machine = { now(): Date; freeBytes(directory: string): Promise<number> }
export const THIS_MACHINE: Machine = {
  now: systemClock.now,
  async freeBytes(directory) {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  },
}

/** Facts of the machine and of the whole database. */
export type MachineFacts = {
  /**
   * How far the machine's clock is ahead of the clock of PostgreSQL. While this process keeps its own time after a jump of the
   * machine's clock, the larger of the two differences.
   */
  clockOffsetSeconds: number
  /** Free space on the disk of the data directory; null if it cannot be read. */
  freeBytes: number | null
  /** Null if no backup was ever made. */
  backupAgeSeconds: number | null
  /** The directory that holds the backups; null if none is known. */
  backupSeries: string | null
  /** Where everything in this database was moved to. */
  move: Move | null
}

/** @throws AppError storage_unavailable */
export async function readMachine({ db, config }: Pick<Context, 'db' | 'config'>): Promise<MachineFacts> {
  const [clockOffsetSeconds, backupAgeSeconds, backupSeries, freeBytes, move] = await Promise.all([
    compareClocks(db),
    measureBackupAge(db),
    findBackupSeries(db),
    freeForData(config),
    findMove(db),
  ])
  return { clockOffsetSeconds, freeBytes, backupAgeSeconds, backupSeries, move }
}

async function compareClocks(db: Context['db']): Promise<number> {
  const database = await readDatabaseClock(db)
  const [machine = 0, own = 0] = [machineClock, systemClock].map(({ now }) => now().getTime() - database)
  return (Math.abs(machine) > Math.abs(own) ? machine : own) / 1000
}

const MB = 1024 * 1024
/** PostgreSQL writes its write-ahead log in files of 16 MB, and stops if it cannot create the next file. */
const FREE_LEAST_BYTES = 64 * MB
const FREE_WARN_BYTES = 512 * MB

/** @throws AppError if the embedded PostgreSQL would have too little disk space */
export async function checkDisk(
  dataDir: string,
  { freeBytes }: Machine,
  warn: (line: string) => void,
): Promise<void> {
  const free = await freeOn(dataDir, freeBytes)
  if (free === null || free >= FREE_WARN_BYTES) return
  const line = `The disk of ${dataDir} has ${Math.floor(free / MB)} MB left`
  if (free < FREE_LEAST_BYTES)
    throw new AppError('storage_unavailable', {
      message: `${line}, and PostgreSQL needs at least ${FREE_LEAST_BYTES / MB} MB. Free some space and start again, or move ${nameOf('dataDir')} to a larger disk.`,
    })
  warn(
    `Warning: ${line}. PostgreSQL stops when the disk is full. Free some space, or move ${nameOf('dataDir')} to a larger disk.`,
  )
}

/** Returns the free space of the disk that the service stores its data on; null if it cannot be read. */
export function freeForData({ dataDir }: Pick<Config, 'dataDir'>): Promise<number | null> {
  return freeOn(dataDir ?? defaultDataDir())
}

/**
 * Returns the free space at the directory, or at its nearest existing parent. Returns null if the space cannot be read. The code
 * that creates the directory reports the cause.
 */
async function freeOn(
  path: string,
  freeBytes: Machine['freeBytes'] = THIS_MACHINE.freeBytes,
): Promise<number | null> {
  const directory = resolve(path)
  try {
    return await freeBytes(directory)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && directory !== dirname(directory) ? freeOn(dirname(directory), freeBytes) : null
  }
}
