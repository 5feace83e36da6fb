/**
 * Measures the memory of the service over time: at rest, while 16 connections create payments, and afterwards. The service runs as
 * `npm start` runs it, with its worker and its simulators in the same process. Its PostgreSQL has processes of its own, which are not
 * counted. Prints one line of JSON.
 */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { atLeast } from './at-least.ts'
import { requests } from './cells.ts'
import { processCpuMs } from './cpu.ts'
import { runLoad } from './load.ts'

/** `samples`: seconds since the start of the measurement, megabytes, and the processors that were used since the sample before. */
export type MemoryRun = {
  version: string
  provider: string
  loadFrom: number
  loadUntil: number
  created: number
  samples: [seconds: number, megabytes: number, processors: number][]
}

type Options = {
  dir: string
  as: string
  provider: string
  rest: number
  seconds: number
  after: number
  port: number
}

const SAMPLE_EVERY_MS = 5_000
const READY_WITHIN_MS = 90_000
const ENTRY = 'server/main.ts'

const options = new Command('bench -- memory')
  .description('Measure the memory of the service before, during and after a minute of load.')
  .option('--dir <dir>', 'the checkout, with its node_modules', '.')
  .option('--as <name>', 'the name of this version in the result', 'now')
  .option('--provider <route>', 'manual: without a simulated bank', 'route_a')
  .option('--rest <n>', 'seconds before the load', atLeast(5), 20)
  .option('--seconds <n>', 'seconds of load', atLeast(5), 60)
  .option('--after <n>', 'seconds after the load', atLeast(5), 330)
  .option('--port <n>', 'a free port for the service', atLeast(1), 4_731)
  .parse()
  .opts<Options>()

/** Returns the process of the service among the children of `npm start`. */
async function findService(parent: number): Promise<number | null> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')
  for (const child of children.split(' ').filter(Boolean).map(Number)) {
    const words = (await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')).split('\0')
    // The shell has the entry in its text too, but not as a word of its own.
    if (words.includes(ENTRY)) return child
    const found = await findService(child)
    if (found) return found
  }
  return null
}

async function readMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

async function measure(pid: number, token: string): Promise<MemoryRun> {
  const { as, dir: _, provider, rest, seconds, after, port } = options
  const started = performance.now()
  const now = () => Math.round((performance.now() - started) / 1000)
  const samples: MemoryRun['samples'] = []
  let cpu = { ms: await processCpuMs(pid), at: started }
  const timer = setInterval(async () => {
    const next = { ms: await processCpuMs(pid), at: performance.now() }
    const used = (next.ms - cpu.ms) / (next.at - cpu.at)
    cpu = next
    samples.push([now(), await readMegabytes(pid), Number(used.toFixed(2))])
  }, SAMPLE_EVERY_MS)
  await sleep(rest * 1000)
  const loadFrom = now()
  const next = requests('memory', '/v1/payment-sessions', { Authorization: `Bearer ${token}` }, provider)
  const { signal } = new AbortController()
  const { created } = await runLoad({ port, connections: 16, seconds, next, signal })
  const loadUntil = now()
  await sleep(after * 1000)
  clearInterval(timer)
  return { version: as, provider, loadFrom, loadUntil, created, samples }
}

const dataDir = await mkdtemp(join(tmpdir(), 'kassa-memory-'))
await chmod(dataDir, 0o755)
const npm = spawn('npm', ['start'], {
  cwd: options.dir,
  env: {
    PATH: process.env.PATH ?? '',
    DATA_DIR: join(dataDir, 'data'),
    PORT: `${options.port}`,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  npm.stdout.on('data', (chunk) => {
    text += chunk
    const token = /ksk_sandbox_\w+/.exec(text)?.[0]
    if (token) resolve(token)
  })
  npm.once('exit', () => reject(new Error('The service ended before it was ready.')))
  setTimeout(reject, READY_WITHIN_MS, new Error('The service was not ready in time.')).unref()
  const token = await promise
  const pid = await findService(npm.pid ?? 0)
  if (!pid) throw new Error('The process of the service was not found. This needs Linux.')
  console.log(JSON.stringify(await measure(pid, token)))
  process.kill(pid, 'SIGTERM')
  await new Promise((done) => npm.once('close', done))
} finally {
  const pid = await findService(npm.pid ?? 0)
  if (pid) process.kill(pid, 'SIGKILL')
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
