/** Runs operators' commands for tests. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { mayCreate, type OnEmpty } from '../admin/command.ts'
import { runAdmin, type Surroundings } from '../admin/program.ts'
import { readConfig } from '../config.ts'
import type { Context, Worlds } from '../context.ts'
import { diagnose } from '../diagnosis/diagnose.ts'
import { openService, openUnmigrated } from '../service.ts'
import { SECRETS_KEY } from './harness.ts'
import { startProcess } from './processes/child-process.ts'

const ENTRY = fileURLToPath(new URL('../admin.ts', import.meta.url))

export type Operated = { code: number | null; stdout: string; stderr: string }
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
type AnyAnswer = any

/** Runs the command line in its own process, with only these settings in its environment. `entry`: of another checkout. */
export async function operateProcess(
  settings: Record<string, string>,
  args: string[],
  entry = ENTRY,
): Promise<Operated> {
  const child = startProcess(entry, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settings } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8')
    child[name].on('data', (text: string) => {
      output[name] += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

/**
 * Runs a command in this process, ten times as fast. It has its own connections and caches, so the Kassa under test sees a
 * change only through the database, as with another process.
 */
export function operate(settings: Record<string, string>, args: string[]): Promise<Operated> {
  const config = () => readConfig({ MODE: 'sandbox', LOG_LEVEL: 'silent', SECRETS_KEY, ...settings })
  const optionsFor = (onEmpty: OnEmpty) => ({ own: false, mayCreate: mayCreate(onEmpty, config()) })
  const open: Surroundings['open'] = ({ onEmpty }) => openService(config(), optionsFor(onEmpty))
  const openDatabase: Surroundings['openDatabase'] = ({ onEmpty }) =>
    openUnmigrated(config(), optionsFor(onEmpty))
  return run(args, {
    open,
    openDatabase,
    diagnose: async () => diagnose(config()),
    ...(settings.USER && { user: settings.USER }),
    ...(settings.KASSA_OPERATOR_KEY && { key: settings.KASSA_OPERATOR_KEY }),
  })
}

/** Runs a command with `--json`. Returns the one object that it prints. Fails if it prints anything else. */
export async function operateJson(
  settings: Record<string, string>,
  args: string[],
  through: typeof operate = operate,
): Promise<{ code: number | null; answer: AnyAnswer }> {
  const { code, stdout, stderr } = await through(settings, [...args, '--json'])
  if (stderr !== '' || stdout.trimEnd().includes('\n'))
    throw new Error(`Not one JSON object alone:\n${stdout}\n${stderr}`)
  return { code, answer: JSON.parse(stdout) }
}

type Here = {
  stopped?: AbortSignal
  heard?: (text: string) => void
  key?: string
  ask?: (question: string) => Promise<string>
}

/**
 * Runs a command on a context of this process. `stopped`: Ctrl-C. `heard` gets each line when it is printed. `ask`: a terminal.
 */
export function operateHere(
  open: () => Promise<Context | Worlds>,
  args: string[],
  { stopped, heard, key, ask }: Here = {},
): Promise<Operated> {
  return run(args, {
    open: async () => ({ worlds: worldsOf(await open()), close: async () => {} }),
    openDatabase: () => refuse(open),
    diagnose: () => refuse(open),
    ...(stopped && { stopped }),
    ...(heard && { heard }),
    ...(key && { key }),
    ...(ask && { ask }),
  })
}

async function refuse(open: () => Promise<unknown>): Promise<never> {
  await open()
  throw new Error('Bug! This command needs settings of its own: use operate.')
}

async function run(
  args: string[],
  {
    open,
    openDatabase,
    diagnose,
    user = 'tester',
    key,
    stopped = new AbortController().signal,
    heard = () => {},
    ask,
  }: Pick<Surroundings, 'open' | 'openDatabase' | 'diagnose' | 'ask'> & {
    user?: string
    key?: string
    stopped?: AbortSignal
    heard?: (text: string) => void
  },
): Promise<Operated> {
  const output = { stdout: '', stderr: '' }
  const code = await runAdmin(args, {
    open,
    openDatabase,
    diagnose,
    out: (text) => {
      output.stdout += text
      heard(text)
    },
    err: (text) => {
      output.stderr += text
    },
    caller: { user, from: 'host test', readKey: async () => key },
    untilStopped: () => stopped,
    ...(ask && { ask }),
    verbose: false,
  })
  return { code, ...output }
}

function worldsOf(opened: Context | Worlds): Worlds {
  return 'world' in opened ? { sandbox: opened } : opened
}
