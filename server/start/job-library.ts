/**
 * Loads the library of the job queue. While it loads, it looks for settings in the current directory, reads a `package.json` there
 * and executes files such as `.graphile-workerrc.cjs`. An operator's command may run in any directory: in one whose files others
 * write, or in one that the service's user may not read. So the library is shown the directory of Kassa instead. It is shown the same
 * directory as the home directory: there is none where HOME is not set and the user id has no entry in /etc/passwd, as in containers.
 */
import os from 'node:os'
import { fileURLToPath } from 'node:url'

const INSTALLED = fileURLToPath(new URL('../..', import.meta.url))

/** Runs before the first static import of the library. */
export async function loadJobLibrary(): Promise<void> {
  const { cwd } = process
  const { homedir } = os
  process.cwd = () => INSTALLED
  os.homedir = () => INSTALLED
  try {
    await import('graphile-worker')
  } finally {
    process.cwd = cwd
    os.homedir = homedir
  }
}
