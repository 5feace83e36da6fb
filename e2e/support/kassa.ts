/** Starts a real Kassa, as `npm start` does: its own process, its own database. Kassa chooses the port and reports it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HealthResponse } from '../../server/contract/health.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Half of a start's time is compiling. Node stores the compiled code here for the next process. */
export const COMPILE_CACHE = join(ROOT, '.dist/compile-cache')
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 25_000
const OUTPUT_MAX_CHARS = 50_000
/** The line of its greeting. */
const ADDRESS = /^ +Address +(http\S+)\n/m
const CONSOLE_LINK = /Console +(http:\S+)/

/** Returns the program that was built of this entry. It starts in half the CPU time. A bench starts the entry itself. */
export function programOf(entry: string): string {
  const folder = process.env.KASSA_TEST_PROGRAMS
  return folder ? join(folder, `${basename(entry, '.ts')}.js`) : entry
}

export type Kassa = {
  /** Its public address. Its host differs from the shops' host, so that it is another site and not only another origin. */
  url: string
  /** The environment variables of the process. The operator's command line needs the same ones. */
  settings: NodeJS.ProcessEnv
  /** The one-time link to the console. It works once for each Kassa. */
  consoleLink: string
  stop(): Promise<void>
}

/** Resolves when Kassa is ready. `stop` deletes its data. */
export async function startKassa(): Promise<Kassa> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-e2e-'))
  // The embedded PostgreSQL may run as another user, who needs access to this folder.
  await chmod(dataDir, 0o755)
  const settings = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    DATA_DIR: dataDir,
    PORT: '0',
    CONSOLE_PORT: '0',
    SEED_DEMO: 'true',
    EVENT_RETRY_DELAYS: '0,1,1,2,2',
    LOG_LEVEL: 'warn',
    // All buyers of a test run have the same address and would share one limit.
    RATE_LIMITS: 'off',
  }
  const child = spawn(process.execPath, [programOf(join(ROOT, 'server/main.ts'))], {
    cwd: ROOT,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // If a test worker ends without a teardown, the process must end too.
  const orphan = () => child.kill('SIGTERM')
  process.once('exit', orphan)
  const stop = async () => {
    await end(child)
    process.off('exit', orphan)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const { url, consoleLink } = await readAddress(child)
    const health = await fetch(`${url}/api/health`)
    if (!((await health.json()) as HealthResponse).ready) throw new Error('Kassa started and is not ready.')
    const widget = await fetch(`${url}/widget/v1/kassa.js`)
    if (!widget.ok) throw new Error('The widget is not built yet: npm run build')
    return { url, settings: { ...settings, PORT: new URL(url).port }, consoleLink, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns the address that Kassa prints when it has started, and its link to the console. */
async function readAddress(child: ChildProcess): Promise<{ url: string; consoleLink: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; consoleLink: string }>()
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-OUTPUT_MAX_CHARS)
      const [, url] = ADDRESS.exec(output) ?? []
      const [, consoleLink] = CONSOLE_LINK.exec(output) ?? []
      if (url && consoleLink) resolve({ url, consoleLink })
    })
  child.once('exit', (code) => reject(new Error(`Kassa ended with ${code}:\n${output}`)))
  const late = () => reject(new Error(`Kassa was not ready in time:\n${output}`))
  const timer = setTimeout(late, READY_WITHIN_MS)
  return promise.finally(() => clearTimeout(timer))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  clearTimeout(timer)
}
