/** The measured servers: Kassa and the baselines, each in its own process, on the same PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nameConnections } from './connections.ts'
import type { Request } from './load.ts'

export type Cell = {
  name: string
  pid: number
  port: number
  next(): Request
  /** How many responses were 201, including the warm-up. The database must contain as many payments in the end. */
  created: number
  /** The database of the cell, and the statement that counts its payments. */
  databaseUrl: string
  countSql: string
  stop(): Promise<void>
}

/** A checkout of Kassa with its own database, where a merchant has the token. */
export type Checkout = { name: string; main: string; databaseUrl: string; token: string }

/** `environment`: the environment variables of every process. `poolMax`: the database connections of each server. */
export type CellOptions = { environment: Record<string, string>; poolMax: number }

const READY_WITHIN_MS = 20_000
const BASELINE = fileURLToPath(new URL('./baseline-server.ts', import.meta.url))

/** Limits that count every request and reject none, so that the measurement includes their cost. */
const UNREACHED = 'write=1000000:1000000,lookup=1000000:1000000'

export const KASSA_SETTINGS = {
  PORT: '0',
  SEED_DEMO: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMITS: UNREACHED,
}

/** Works with every version: in version 0.1 the tables were in the schema `public`. */
const COUNT_SQL = `select least(
  (select count(*) from payments where status = 'pending_redirect' and version = 1),
  (select count(*) from idempotency_keys),
  (select count(*) from payment_changes)) as count`

/** Starts the whole service, with its worker in another process. */
export function startKassa(checkout: Checkout, { environment, poolMax }: CellOptions): Promise<Cell> {
  const { name, main, databaseUrl, token } = checkout
  return startCell({
    name,
    next: requests(name, '/v1/payment-sessions', { Authorization: `Bearer ${token}` }),
    entry: main,
    args: [],
    environment: {
      ...environment,
      ...KASSA_SETTINGS,
      DATABASE_URL: databaseUrl,
      PROCESS: 'web',
      POOL_MAX: `${poolMax}`,
    },
    databaseUrl,
    countSql: COUNT_SQL,
  })
}

export function startBaseline(name: string, { environment, poolMax }: CellOptions): Promise<Cell> {
  const rows = `baseline_${name}`
  return startCell({
    name,
    next: requests(name, '/payments', {}),
    entry: BASELINE,
    args: [name, `${poolMax}`],
    environment,
    databaseUrl: environment.DATABASE_URL ?? '',
    countSql:
      name === 'null'
        ? 'select null as count'
        : `select least((select count(*) from ${rows}.payments), (select count(*) from ${rows}.keys),
            (select count(*) from ${rows}.outbox)) as count`,
  })
}

/** Returns requests like a shop's. Each order has its own number, content and key. */
export function requests(
  cell: string,
  path: string,
  headers: Record<string, string>,
  provider = 'route_a',
): () => Request {
  let count = 0
  return () => {
    const order = `${cell}-${++count}`
    const body = JSON.stringify({
      merchantOrderId: order,
      amountMinor: 100 + (count % 900_000),
      currency: 'USD',
      provider,
      returnUrl: 'https://shop.example/thanks',
      customer: { email: `buyer-${count}@mail.example`, name: 'Anahit Petrosyan' },
      metadata: { cart: order, source: 'shop', items: 3 },
    })
    return { path, headers: { ...headers, 'Idempotency-Key': `attempt-of-${order}` }, body }
  }
}

type StartOptions = Pick<Cell, 'name' | 'next' | 'databaseUrl' | 'countSql'> & {
  entry: string
  args: string[]
  environment: Record<string, string>
}

export async function startCell({ entry, args, environment, ...cell }: StartOptions): Promise<Cell> {
  const { pid, port, stop } = spawnServer(entry, args, {
    ...environment,
    ...nameConnections(cell.name),
  })
  try {
    return { ...cell, pid, port: await port, created: 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** `port`: resolves once the server has printed its address. */
export type ServerProcess = { pid: number; port: Promise<number>; stop(): Promise<void> }

export function spawnServer(entry: string, args: string[], env: Record<string, string>): ServerProcess {
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, port: portOf(entry, child, Number(env.PORT)), stop }
}

/** Returns the port in the first address that the server prints. `given`: the server's port, if it prints a proxy's address. */
async function portOf(entry: string, child: ChildProcess, given: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
    const port = given || /http:\/\/[\w.]+:(\d+)/.exec(text)?.[1]
    if (port) resolve(Number(port))
  })
  child.once('exit', (code) => reject(new Error(`${entry} ended with ${code} before it was ready.`)))
  const timer = setTimeout(reject, READY_WITHIN_MS, new Error(`${entry} was not ready in time.`))
  return promise.finally(() => clearTimeout(timer))
}
