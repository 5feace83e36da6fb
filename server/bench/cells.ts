/** The measured servers: Kassa and the baselines, each in its own process, on the same PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Request } from './load.ts'

export type Cell = {
  name: string
  pid: number
  port: number
  next(): Request
  /** How many responses were 201, including the warm-up. The database must contain as many payments in the end. */
  created: number
  /** Counts the payments in the database. */
  countSql: string
  stop(): Promise<void>
}

/** `environment`: the environment of every process. `poolMax`: database connections of each server. */
export type CellOptions = { environment: Record<string, string>; poolMax: number }

const READY_WITHIN_MS = 20_000
const ENTRIES = {
  kassa: new URL('../main.ts', import.meta.url),
  baseline: new URL('./baseline-server.ts', import.meta.url),
}

/** Limits that count every request and reject none, so that the measurement includes their cost. */
const UNREACHED = 'write=1000000:1000000,lookup=1000000:1000000'

/** Starts the whole service in its normal form, without the worker. */
export function startKassa(token: string, { environment, poolMax }: CellOptions): Promise<Cell> {
  const settings = {
    PORT: '0',
    PROCESS: 'web',
    SEED_DEMO: 'false',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: UNREACHED,
  }
  const next = requests('kassa', '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
  return startCell({
    name: 'kassa',
    next,
    entry: ENTRIES.kassa,
    args: [],
    environment: { ...environment, ...settings, POOL_MAX: `${poolMax}` },
    countSql: `select least(
      (select count(*) from sandbox.payments where status = 'pending_redirect' and version = 1),
      (select count(*) from sandbox.idempotency_keys where lease_until is null),
      (select count(*) from sandbox.payment_changes)) as count`,
  })
}

export function startBaseline(name: string, { environment, poolMax }: CellOptions): Promise<Cell> {
  const rows = `baseline_${name}`
  return startCell({
    name,
    next: requests(name, '/payments', {}),
    entry: ENTRIES.baseline,
    args: [name, `${poolMax}`],
    environment,
    countSql:
      name === 'null'
        ? 'select null as count'
        : `select least((select count(*) from ${rows}.payments), (select count(*) from ${rows}.keys),
            (select count(*) from ${rows}.outbox)) as count`,
  })
}

/** Returns an order as a shop sends it, each with its own number, content and key. */
function requests(cell: string, path: string, headers: Record<string, string>): () => Request {
  let count = 0
  return () => {
    const order = `${cell}-${++count}`
    const body = JSON.stringify({
      merchantOrderId: order,
      amountMinor: 100 + (count % 900_000),
      currency: 'USD',
      provider: 'route_a',
      returnUrl: 'https://shop.example/thanks',
      customer: { email: `buyer-${count}@mail.example`, name: 'Anahit Petrosyan' },
      metadata: { cart: order, source: 'shop', items: 3 },
    })
    return { path, headers: { ...headers, 'Idempotency-Key': `attempt-of-${order}` }, body }
  }
}

type StartOptions = Pick<Cell, 'name' | 'next' | 'countSql'> & {
  entry: URL
  args: string[]
  environment: Record<string, string>
}

async function startCell({ name, next, countSql, entry, args, environment }: StartOptions): Promise<Cell> {
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(entry), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  try {
    const port = await portOf(name, child)
    return { name, pid: child.pid ?? 0, port, next, created: 0, countSql, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns the port of the first address that the server prints. */
async function portOf(name: string, child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
    const port = /http:\/\/[\w.]+:(\d+)/.exec(text)?.[1]
    if (port) resolve(Number(port))
  })
  child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready.`)))
  const timer = setTimeout(reject, READY_WITHIN_MS, new Error(`${name} was not ready in time.`))
  return promise.finally(() => clearTimeout(timer))
}
