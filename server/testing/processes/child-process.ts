/**
 * Starts processes for tests. Each is killed when the process of its test ends, because a remaining process would keep a pipe open,
 * and the test run would wait for it.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Ending, endWithParent } from './end-with-parent.ts'
import { programOf } from './programs.ts'

/** Compiling takes half of a start, so Node caches compiled code here for the next process. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../.dist/compile-cache', import.meta.url))

/** With more memory for new objects a start collects garbage less often, which saves a tenth of its CPU time. */
const NODE_FLAGS = ['--min-semi-space-size=16']

/** The environment of every process that a test starts. */
export const PROCESS_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE }

export type TestProcess = ChildProcessByStdio<null, Readable, Readable>

/** Runs a TypeScript file of the project with Node. `env` is added to PROCESS_ENV. The test can read the output. */
export function startProcess(
  entry: string,
  { args = [], env = {}, cwd }: { args?: string[]; env?: Record<string, string>; cwd?: string } = {},
): TestProcess {
  return startProgram(process.execPath, [...NODE_FLAGS, programOf(entry), ...args], {
    env: { ...PROCESS_ENV, ...env },
    ...(cwd && { cwd }),
  })
}

/** Runs any program. `options`: its environment and its user. */
export function startProgram(
  program: string,
  args: string[],
  options: { env: Record<string, string | undefined>; uid?: number; gid?: number; cwd?: string },
): TestProcess {
  return endWithTest(spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Kills the child when the process of its test ends, also if it was killed itself. */
export function endWithTest<Child extends ChildProcess>(child: Child, ending?: Ending): Child {
  if (child.pid !== undefined) child.once('exit', endWithParent(child.pid, ending))
  return child
}

/** Returns when the process has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
