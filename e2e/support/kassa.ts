/** Starts a real Kassa, as `npm start` does: its own process, a free port, its own database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { HealthResponse } from '../../server/contract/health.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Half of a start's time is compiling. Node stores the compiled code here for the next process. */
export const COMPILE_CACHE = join(ROOT, '.dist/compile-cache')
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 25_000
const OUTPUT_MAX_CHARS = 50_000

export type Kassa = {
  /** Its public address. Its host differs from the shops' host, so that it is another site and not only another origin. */
  url: string
  /** The environment variables of the process. The operator's command line needs the same ones. */
  settings: NodeJS.ProcessEnv
  stop(): Promise<void>
}

/** Resolves when Kassa is ready. `stop` deletes its data. */
export async function startKassa(): Promise<Kassa> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-e2e-'))
  // The embedded PostgreSQL may run as another user, who needs access to this folder.
  await chmod(dataDir, 0o755)
  const port = await freePort()
  const settings = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    DATA_DIR: dataDir,
    PORT: String(port),
    SEED_DEMO: 'true',
    EVENT_RETRY_DELAYS: '0,1,1,2,2',
    LOG_LEVEL: 'warn',
    // All buyers of a test run have the same address and would share one limit.
    RATE_LIMITS: 'off',
  }
  const child = spawn(process.execPath, [join(ROOT, 'server/main.ts')], {
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
  const url = `http://localhost:${port}`
  try {
    await untilReady(url, child)
    const widget = await fetch(`${url}/widget/v1/kassa.js`)
    if (!widget.ok) throw new Error('The widget is not built yet: npm run build')
  } catch (error) {
    await stop()
    throw error
  }
  return { url, settings, stop }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-OUTPUT_MAX_CHARS)
    })
  const deadline = performance.now() + READY_WITHIN_MS
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`Kassa ended with ${child.exitCode}:\n${output}`)
    if (await isReady(url)) return
    await sleep(50)
  }
  throw new Error(`Kassa was not ready in time:\n${output}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/health`)
    return ((await answer.json()) as HealthResponse).ready
  } catch {
    return false
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  clearTimeout(timer)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
