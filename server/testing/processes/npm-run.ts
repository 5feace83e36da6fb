/** A script of package.json that runs in a checkout of its own, with all the processes that it starts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { endWithTest } from './child-process.ts'

/** The script's processes are a group, as in a terminal. Its id is that of npm. */
export type NpmRun = { npm: ChildProcess; group: number; output(): string }

export function runNpm(args: string[], cwd: string, environment: Record<string, string>): NpmRun {
  const { PATH, HOME } = process.env
  const npm = spawn('npm', args, {
    cwd,
    env: { PATH, HOME, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithTest(npm, { isGroup: true })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  return { npm, group: npm.pid as number, output: () => output }
}

export function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

/**
 * Returns the command lines of all processes that name `text`. PostgreSQL runs in a session of its own, outside the process
 * group.
 */
export async function processesNaming(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text)).map((line) => line.replaceAll('\0', ' '))
}
