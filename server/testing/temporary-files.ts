/**
 * The temporary files of the tests are kept in memory where the machine has room: the databases are created and dropped there in a
 * tenth of the processor time that a disk's file system takes.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_MIN_BYTES = 4 * 1024 ** 3
const FOLDER = /^kassa-tests-(\d+)$/

/** Makes the system's temporary folder of this process and its children one in memory. Returns what removes it. */
export function keepInMemory(): () => void {
  if (process.env.TMPDIR || !hasRoom()) return () => {}
  sweep()
  const folder = join(MEMORY, `kassa-tests-${process.pid}`)
  mkdirSync(folder)
  // PostgreSQL may run as another account. A umask would take from the mode of mkdir.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM_MIN_BYTES
  } catch {
    return false
  }
}

/** Removes what killed test runs have left. A PostgreSQL that still runs there ends when its folder is gone. */
function sweep(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = FOLDER.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
