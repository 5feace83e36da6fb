/** An operator at the command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runAdmin } from '../admin/program.ts'
import type { Context, Worlds } from '../context.ts'
import { SECRETS_KEY } from './harness.ts'

const ENTRY = fileURLToPath(new URL('../admin.ts', import.meta.url))

export type Operated = { code: number | null; stdout: string; stderr: string }
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
type AnyAnswer = any

/** Half of a call's time is the compiling of the same files. */
const COMPILED = join(tmpdir(), 'kassa-test-compiled')

/** Runs the command line as a process of its own, with nothing but these settings in its environment. */
export async function operate(settings: Record<string, string>, args: string[]): Promise<Operated> {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, MODE: 'sandbox', SECRETS_KEY, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8')
    child[name].on('data', (text: string) => {
      said[name] += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...said }
}

/** The same with `--json`: the one object that was answered, and nothing beside it. */
export async function operateJson(
  settings: Record<string, string>,
  args: string[],
): Promise<{ code: number | null; answer: AnyAnswer }> {
  const { code, stdout, stderr } = await operate(settings, [...args, '--json'])
  if (stderr !== '' || stdout.trimEnd().includes('\n'))
    throw new Error(`Not one JSON object alone:\n${stdout}\n${stderr}`)
  return { code, answer: JSON.parse(stdout) }
}

/**
 * The same commands in this process, for the many calls that need no process of their own. `stopped`: Ctrl-C; `heard` is
 * told what is said as it is said.
 */
export async function operateHere(
  open: () => Promise<Context | Worlds>,
  args: string[],
  {
    stopped = new AbortController().signal,
    heard = () => {},
  }: { stopped?: AbortSignal; heard?: (text: string) => void } = {},
): Promise<Operated> {
  const said = { stdout: '', stderr: '' }
  const code = await runAdmin(args, {
    open: async () => ({ worlds: worldsOf(await open()), close: async () => {} }),
    out: (text) => {
      said.stdout += text
      heard(text)
    },
    err: (text) => {
      said.stderr += text
    },
    operator: 'tester',
    untilStopped: () => stopped,
    verbose: false,
  })
  return { code, ...said }
}

function worldsOf(opened: Context | Worlds): Worlds {
  return 'world' in opened ? { sandbox: opened } : opened
}
