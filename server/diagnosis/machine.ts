/** The data directory and its disk: without the database. */
import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Config } from '../config.ts'
import { changeSetting, isArchive } from '../invocation.ts'
import { LIMITS } from '../operator/examination.ts'
import { findPlainAddresses } from '../settings/plain-address.ts'
import { nameOf } from '../settings/table.ts'
import { freeForData } from '../start/machine.ts'
import { bad, type Finding, good } from './finding.ts'

const DIRECTORY = 'Data directory'
const REMEDIES: Record<string, (dataDir: string) => [message: string, next: string]> = {
  // The program of an archive has become the service's user. In a checkout this may be the wrong user for these data.
  EACCES: (dataDir) => [
    `${userName()} may not read and write ${dataDir}. Run this as the user of the service, or give that user the directory`,
    isArchive ? `sudo chown -R ${userName()}: ${dataDir}` : `ls -ld ${dataDir}`,
  ],
  EROFS: (dataDir) => [`the disk of ${dataDir} is read-only`, `findmnt --target ${dataDir}`],
  ENOTDIR: (dataDir) => [`${dataDir} is not a directory`, changeSetting(nameOf('dataDir'), '/var/lib/kassa')],
}

/** `isNeeded`: the database or the key is there. */
export async function judgeDirectory(dataDir: string, isNeeded: boolean): Promise<Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return [good(DIRECTORY, dataDir)]
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    const [message, next] = REMEDIES[code]?.(dataDir) ?? [
      `${dataDir} cannot be used (${code})`,
      `ls -ld ${dataDir}`,
    ]
    return isNeeded ? [bad(DIRECTORY, message, next)] : [{ state: 'open', about: DIRECTORY, message, next }]
  }
}

export async function judgeDisk(config: Config): Promise<Finding[]> {
  const free = await freeForData(config)
  if (free === null) return []
  const message = `${(free / 1e9).toFixed(1)} GB free for the data directory`
  return [free < LIMITS.freeBytes ? bad('Disk', message, 'df -h') : good('Disk', message)]
}

/** In the sandbox there is nothing to protect. */
export function judgeEncryption(config: Config): Finding[] {
  if (config.mode !== 'live') return []
  return findPlainAddresses(config).map(({ name, message, example }) => ({
    state: 'open',
    about: 'Encryption',
    message,
    next: changeSetting(name, example),
  }))
}

/** In a container the account may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}
