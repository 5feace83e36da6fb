/**
 * Processes that tests start. None of them outlives the process of its test: one that did would hold a pipe open, and the
 * whole run would wait for it.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Half of a start is compiling, so Node keeps compiled code here for the next process. */
const COMPILE_CACHE = fileURLToPath(new URL('../../.dist/compile-cache', import.meta.url))

/** What every process of a test finds in its environment. */
export const PROCESS_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE }

export type TestProcess = ChildProcessByStdio<null, Readable, Readable>

const living = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** Runs a TypeScript file of ours with Node. `env` is added to PROCESS_ENV. Its output is there to be read. */
export function startProcess(
  entry: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): TestProcess {
  return startProgram(process.execPath, [entry, ...args], { env: { ...PROCESS_ENV, ...env } })
}

/** Runs any program. `options`: its environment, and whose rights it has. */
export function startProgram(
  program: string,
  args: string[],
  options: { env: Record<string, string | undefined>; uid?: number; gid?: number },
): TestProcess {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}

/** Returns once the process is gone. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
