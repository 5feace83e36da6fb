/** CPU time of processes, read from /proc. On systems without /proc (other than Linux) the result is NaN. */
import { readdir, readFile } from 'node:fs/promises'

/** The kernel reports in hundredths of a second on every platform that Node runs on. */
const MS_PER_TICK = 10

/** The positions of fields in /proc/<pid>/stat, counted after the name of the process. */
const PARENT = 1
const USER = 11
const SYSTEM = 12
const CHILDREN_USER = 13
const CHILDREN_SYSTEM = 14

async function readStat(pid: number | string): Promise<number[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null)
  if (text === null) return null
  // The name is in parentheses, and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2)
  return fields.split(' ').map(Number)
}

const sum = (stat: number[], ...places: number[]) =>
  places.reduce((total, place) => total + (stat[place] ?? 0), 0) * MS_PER_TICK

/** Returns the CPU time of all threads of a process so far, in milliseconds. */
export async function processCpuMs(pid: number): Promise<number> {
  const stat = await readStat(pid)
  return stat ? sum(stat, USER, SYSTEM) : Number.NaN
}

/** Returns the same for a process and all its children, such as a postmaster and its backends. Includes children that have ended. */
export async function familyCpuMs(pid: number): Promise<number> {
  const head = await readStat(pid)
  if (!head) return Number.NaN
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map(readStat))
  const children = stats.filter((stat) => stat?.[PARENT] === pid) as number[][]
  const living = children.reduce((total, stat) => total + sum(stat, USER, SYSTEM), 0)
  return living + sum(head, USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM)
}
