// Finds a running postmaster by its pid file, checks it in the process table, and stops it with signals.
// A pid alone proves nothing: the system uses numbers again, and people copy directories together with the pid file. So a
// process counts as ours only if it was started on exactly this cluster. No other process ever gets a signal.

import { execFile } from 'node:child_process'
import { readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EmbeddedError, errorCode, explainFileError } from './error.ts'
import { isAlive, type ServerPlace, stagingPath } from './place.ts'

export type PidFile = { pid: number; pgData: string; port: number; status: string }

const POLL_MS = 10
// PostgreSQL fills an empty pid file almost at once.
const UNREADABLE_LIMIT_MS = 2_000
/** The signals that stop a postmaster, and how long each may take before the next one is sent. All are crash-safe. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 10_000 }, // fast: connections are ended, a checkpoint is written
  { signal: 'SIGQUIT', waitMs: 5_000 }, // immediate: the next start recovers from the log
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const

/** Returns the pid of this cluster's postmaster, or null. Removes a pid file whose number now belongs to another process. */
export async function findPostmaster(place: ServerPlace): Promise<number | null> {
  const until = performance.now() + UNREADABLE_LIMIT_MS
  let text = await readPidText(place)
  while (text !== null && !parsePidFile(text) && performance.now() < until) {
    await setTimeout(POLL_MS)
    text = await readPidText(place)
  }
  if (text === null) return null
  const file = parsePidFile(text)
  if (file?.pgData === place.pgData && (await isPostmaster(place, file.pid))) return file.pid
  // PostgreSQL overwrites the file of a dead process, but refuses to start if the file is empty or its number is in use.
  if (!file || isAlive(file.pid)) await removePidFile(place, text)
  return null
}

/** Returns the pid file if `pid` wrote it. Null: the postmaster has not written it yet, or has stopped. */
export async function readPidFile(place: ServerPlace, pid: number): Promise<PidFile | null> {
  const file = parsePidFile((await readPidText(place)) ?? '')
  return file?.pid === pid ? file : null
}

/** Returns true if that process is a postmaster on this cluster. A zombie process has no command line, so it does not count. */
export async function isPostmaster({ pgData }: Pick<ServerPlace, 'pgData'>, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return words[0]?.endsWith('postgres') === true && words[words.indexOf('-D') + 1] === pgData
  }
  const listed = await promisify(execFile)('/bin/ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(
    () => null,
  )
  return listed?.stdout.includes(`postgres -D ${pgData} `) === true
}

/** Stops the postmaster and returns once it is gone. */
export async function haltPostmaster(place: ServerPlace, pid: number): Promise<void> {
  for (const { signal, waitMs } of STOP_STEPS) {
    const until = performance.now() + waitMs
    if (!(await isPostmaster(place, pid))) return
    // A suspended process receives the first signal only after it is resumed.
    for (const name of [signal, 'SIGCONT'] as const) sendSignal(pid, name)
    while (performance.now() < until) {
      await setTimeout(POLL_MS)
      if (!(await isPostmaster(place, pid))) return
    }
  }
  throw new EmbeddedError(
    `The PostgreSQL of ${place.pgData} (process ${pid}) cannot be stopped. Stop it by hand.`,
  )
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH')
      throw new EmbeddedError(`Process ${pid} may not be signalled: stop it by hand.`)
  }
}

function pidPath({ pgData }: ServerPlace): string {
  return join(pgData, 'postmaster.pid')
}

async function readPidText(place: ServerPlace): Promise<string | null> {
  try {
    return await readFile(pidPath(place), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw explainFileError(error, place.pgData)
  }
}

/** Lines: pid, data directory, start time, port, socket directory, address, shared memory, status. */
export function parsePidFile(text: string): PidFile | null {
  const [pid = '', pgData = '', , port = '', , , , status = ''] = text.split('\n')
  return Number(pid) > 0 && pgData
    ? { pid: Number(pid), pgData, port: Number(port), status: status.trim() }
    : null
}

/** Renames the file before removing it. If a new postmaster has written its own file by then, that file is put back. */
async function removePidFile(place: ServerPlace, judged: string): Promise<void> {
  const aside = stagingPath(pidPath(place))
  try {
    await rename(pidPath(place), aside)
    const isJudged = (await readFile(aside, 'utf8')) === judged
    if (isJudged) await unlink(aside)
    else if (!(await stat(pidPath(place)).catch(() => null))) await rename(aside, pidPath(place))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFileError(error, place.pgData)
  }
}
