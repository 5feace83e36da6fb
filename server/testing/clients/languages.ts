/** The clients of all languages behind one call: the one for Node in this process, the others in a process of their language. */
import { execFileSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as node from '../../clients/node/kassa.mjs'
import { endProcess, endWithTest } from '../processes/child-process.ts'

/** `refused`: the client throws, because the call is wrong in itself. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Answer = { returned: any } | { refused: string }

export type Client = {
  /** `options`: the options of the call, as an object or as named arguments, as the language wants them. */
  call(name: string, args?: unknown[], options?: object): Promise<Answer>
  close(): Promise<void>
}

export type ClientLanguage = {
  name: string
  /** What this machine is missing, or null. */
  missing: string | null
  start(): Client
  /** A program that loads the client, and does nothing with it. */
  load: [command: string, ...args: string[]]
  /** A program that prints the code of a refused event, read in both ways that the language has. */
  byName?: [command: string, ...args: string[]]
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

function isThere(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const PYTHON_FILES = fileOf('../../clients/python')
const PHP_FILE = fileOf('../../clients/php/Kassa.php')
const NODE_FILE = fileOf('../../clients/node/kassa.mjs')

const PYTHON_BY_NAME = `import sys
sys.path.insert(0, sys.argv[1])
import kassa
verified = kassa.verify_event(b'', {}, 'whsec_c2VjcmV0')
print(verified.error.code, verified['error']['code'])`
const PHP_BY_NAME = `require $argv[1];
$verified = Kassa\\verifyEvent('', [], ['secrets' => 'whsec_c2VjcmV0']);
echo $verified->error->code, ' ', $verified['error']['code'];`

export const CLIENT_LANGUAGES: readonly ClientLanguage[] = [
  { name: 'Node', missing: null, start: startNode, load: [process.execPath, NODE_FILE] },
  {
    name: 'Python',
    missing: isThere('python3') ? null : 'python3',
    start: () => startClient('python3', [fileOf('driver.py')], PYTHON_FILES),
    load: ['python3', '-B', `${PYTHON_FILES}/kassa.py`],
    byName: ['python3', '-B', '-c', PYTHON_BY_NAME, PYTHON_FILES],
  },
  {
    name: 'PHP',
    missing: isThere('php') ? null : 'php',
    start: () => startClient('php', [fileOf('driver.php'), PHP_FILE]),
    load: ['php', PHP_FILE],
    byName: ['php', '-r', PHP_BY_NAME, PHP_FILE],
  },
]

/** The functions of an opened client stand beside those of the module. */
// biome-ignore lint/suspicious/noExplicitAny: every function is called by its name
type Functions = Record<string, (...args: any[]) => unknown>

const isFunction = (entry: [string, unknown]): entry is [string, Functions[string]] =>
  typeof entry[1] === 'function'

/** A way out that leads nowhere: it throws, or answers with what was sent, as `{ sent }`. */
const WAYS_OUT: Record<string, (url: string, request: { body: string }) => Promise<Response>> = {
  throws: () => Promise.reject(new Error('The line broke.')),
  echoes: async (_, { body }) => Response.json({ sent: body }),
}

function withWayOut({ wayOut, ...options }: { wayOut?: string }): object {
  return wayOut ? { ...options, fetch: WAYS_OUT[wayOut] } : options
}

function startNode(): Client {
  let functions: Functions = Object.fromEntries(Object.entries<unknown>(node).filter(isFunction))
  return {
    async call(name, args = [], options = {}) {
      const given = name === 'verifyEvent' ? [Buffer.from(String(args[0]), 'base64'), ...args.slice(1)] : args
      const all = Object.keys(options).length > 0 ? [...given, withWayOut(options)] : given
      try {
        const returned = await functions[name]?.(...all)
        if (name !== 'openKassa') return { returned }
        functions = { ...functions, ...(returned as Functions) }
        return { returned: null }
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) return { refused: error.message }
        throw error
      }
    },
    async close() {},
  }
}

function startClient(command: string, args: string[], path = ''): Client {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PYTHONPATH: path,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const child = endWithTest(spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] }))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    call(name, args = [], options = {}) {
      const answered = last.then(async (): Promise<Answer> => {
        child.stdin.write(`${JSON.stringify({ name, args, options })}\n`)
        const { value, done } = await lines.next()
        if (done) throw new Error(`The process of ${command} has ended.`)
        return JSON.parse(value)
      })
      last = answered.catch(() => {})
      return answered
    },
    close: () => endProcess(child),
  }
}
