// A postmaster that runs: found through its pid file, judged by what the process table says, stopped by signals.
// A pid alone proves nothing (numbers are used again, directories are copied with their pid file): a process is ours
// only if it is a program that was started on exactly this cluster. Nothing else is ever signalled.

import { execFile } from 'node:child_process'
import { readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EmbeddedError, errorCode, explainFileError } from './error.ts'
import { isAlive, type Place, stagingPath } from './place.ts'

export type PidFile = { pid: number; pgData: string; port: number; status: string }

const POLL_MS = 10
// Between writing an empty pid file and filling it PostgreSQL needs no time worth mentioning.
const UNREADABLE_LIMIT_MS = 2_000
/** How a postmaster is asked to stop, and how long it may take before it is asked less kindly. Each is crash-safe. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 10_000 }, // fast: connections are ended, a checkpoint is written
  { signal: 'SIGQUIT', waitMs: 5_000 }, // immediate: the next start recovers from the log
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const

/** The postmaster's process on this cluster, or null. A pid file that a foreign process's pid would keep valid is removed. */
export async function findPostmaster(place: Place): Promise<number | null> {
  const until = performance.now() + UNREADABLE_LIMIT_MS
  let text = await readPidText(place)
  while (text !== null && !parsePidFile(text) && performance.now() < until) {
    await setTimeout(POLL_MS)
    text = await readPidText(place)
  }
  if (text === null) return null
  const file = parsePidFile(text)
  if (file?.pgData === place.pgData && (await isPostmaster(place, file.pid))) return file.pid
  // PostgreSQL overwrites the file of a process that is gone, but refuses while its number, or nothing, is in there.
  if (!file || isAlive(file.pid)) await removePidFile(place, text)
  return null
}

/** The pid file if `pid` wrote it, else null: the postmaster has not come that far, or has left. */
export async function readPidFile(place: Place, pid: number): Promise<PidFile | null> {
  const file = parsePidFile((await readPidText(place)) ?? '')
  return file?.pid === pid ? file : null
}

/** True if that process is a postmaster on this cluster. False for a zombie, which has no command line. */
export async function isPostmaster({ pgData }: Place, pid: number): Promise<boolean> {
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
export async function haltPostmaster(place: Place, pid: number): Promise<void> {
  for (const { signal, waitMs } of STOP_STEPS) {
    const until = performance.now() + waitMs
    if (!(await isPostmaster(place, pid))) return
    // A process that was suspended notices the first signal only when it is resumed.
    for (const name of [signal, 'SIGCONT'] as const) sendSignal(pid, name)
    while (performance.now() < until) {
      await setTimeout(POLL_MS)
      if (!(await isPostmaster(place, pid))) return
    }
  }
  throw new EmbeddedError(
    `The PostgreSQL of ${place.pgData} (process ${pid}) cannot be stopped: stop it by hand.`,
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

function pidPath({ pgData }: Place): string {
  return join(pgData, 'postmaster.pid')
}

async function readPidText(place: Place): Promise<string | null> {
  try {
    return await readFile(pidPath(place), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw explainFileError(error, place.pgData)
  }
}

/** Lines: pid, data directory, start time, port, socket directory, address, shared memory, status. */
function parsePidFile(text: string): PidFile | null {
  const [pid = '', pgData = '', , port = '', , , , status = ''] = text.split('\n')
  return Number(pid) > 0 && pgData
    ? { pid: Number(pid), pgData, port: Number(port), status: status.trim() }
    : null
}

/** Takes the file aside before it goes: should a new postmaster have written its own meanwhile, it is put back. */
async function removePidFile(place: Place, judged: string): Promise<void> {
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
