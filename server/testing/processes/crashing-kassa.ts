/** A Kassa that can die at a named point, in its own process or in the test's process. Both leave the same rows in the database. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { storeOwnAccounts } from '../../accounts/deployment.ts'
import { readConfig } from '../../config.ts'
import { KEEP_ALIVE_MS } from '../../http/server.ts'
import { createLog } from '../../log/log.ts'
import { createVault } from '../../secrets/vault.ts'
import { openDb } from '../../storage/db.ts'
import { createContext } from '../../world.ts'
import { type Kassa, SECRETS_KEY, spawnKassa, TEST_SETTINGS, TestClock } from '../harness.ts'
import { untilSessionsEnd } from '../lock-waits.ts'
import { endProcess, startProcess } from './child-process.ts'
import { runUntilDeath } from './crash-points.ts'

const ENTRY = fileURLToPath(new URL('./crashing-main.ts', import.meta.url))

export type CrashingKassa = {
  /** The address. Nothing responds there if the Kassa died before it was ready. */
  url: string
  /** Kills it from outside. */
  kill(): Promise<void>
  /** Returns the point at which it died or stopped by itself, or null. */
  reached(): string | null
  /** Continues a process that has stopped. */
  goOn(): void
  /** Resolves when it is dead. */
  ended: Promise<unknown>
}

type Crashing = {
  databaseUrl: string
  /** Empty: the provider of `settings` is used. */
  bankUrl: string
  settings?: Record<string, string>
  /** The point, and the number of the time at which it is reached. */
  crash?: { at: string; nth: number } | undefined
  leaseSeconds?: number
  /** Whether it stops once, when it has connected to the bank and written nothing. Only for a process of its own. */
  stops?: boolean
  /** The sweep that runs. By default the one that finishes creations. */
  sweep?: string
  /** More sweeps that run. Only in the test's process. */
  sweepsToo?: readonly string[]
  /** Gets every line of the log. Only in the test's process. */
  logTo?: (line: string) => void
  /** The clock of the other processes. Only in the test's process. */
  clock?: TestClock
}
export type StartCrashing = (given: Crashing) => Promise<CrashingKassa>

const settingsOf = ({ databaseUrl, leaseSeconds = 90, settings = {} }: Crashing) => ({
  MODE: 'sandbox',
  DATABASE_URL: databaseUrl,
  ATTEMPT_LEASE: String(leaseSeconds),
  SECRETS_KEY,
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
  POOL_MAX: TEST_SETTINGS.POOL_MAX,
  ...settings,
})

/** `rolledBack`: waits until PostgreSQL has noticed the death. Until then what was open holds its locks. */
type DyingKassa = CrashingKassa & { rolledBack(): Promise<void> }

/** Starts it in its own process, which dies by SIGKILL. */
export async function spawnCrashingKassa(given: Crashing): Promise<CrashingKassa> {
  const { bankUrl, crash, stops = false, sweep = 'statusSync' } = given
  const env = {
    ...settingsOf(given),
    BANK_URL: bankUrl,
    SWEEP: sweep,
    CRASH_AT: crash?.at ?? '',
    CRASH_NTH: String(crash?.nth ?? 1),
    STOPS: String(stops),
  }
  const child = startProcess(ENTRY, { env })
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit')
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    const port = /ready (\d+)\n/.exec(text)?.[1]
    if (port) resolve(port)
  })
  const port = await Promise.race([ready, ended.then(() => '0')])
  const reached = () => /reached (.+)\n/.exec(text)?.[1] ?? null
  const goOn = () => void child.kill('SIGCONT')
  return { url: `http://127.0.0.1:${port}`, kill: () => endProcess(child), reached, goOn, ended }
}

/**
 * Starts it in the test's process, which takes a tenth of the CPU time. Its death closes all its connections, so PostgreSQL rolls
 * back its open transactions as after a kill, and none of its code continues.
 */
export async function startCrashingKassa(given: Crashing): Promise<DyingKassa> {
  const { bankUrl, crash, sweep = 'statusSync', sweepsToo = [], databaseUrl, clock = new TestClock() } = given
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = readConfig(settingsOf(given))
  const db = openDb(databaseUrl, { world: 'sandbox' })
  const ctx = createContext(config, {
    db,
    localUrl: url,
    clock,
    log: createLog(config.logLevel, given.logTo),
    vault: createVault([SECRETS_KEY]),
  })
  await storeOwnAccounts(ctx)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let isDead = false
  let reached: string | null = null
  const sockets = new Set<Duplex>()
  const sessions = new Set<unknown>()
  db.on('acquire', (client) => {
    const { stream } = client.connection
    sockets.add(stream)
    if ('processID' in client) sessions.add(client.processID)
    if (isDead) stream.destroy()
  })
  const die = (point: string | null) => {
    if (isDead) return
    isDead = true
    reached = point
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
    ctx.buckets.close()
    void db.end()
    resolve()
  }
  await runUntilDeath(ctx, server, {
    run: { sweeps: [sweep, ...sweepsToo], bankUrl, crash },
    die,
    isDead: () => isDead,
  })
  const rolledBack = async () => {
    const other = openDb(databaseUrl, { world: 'sandbox', max: 1 })
    await untilSessionsEnd(other, [...sessions]).finally(() => other.end())
  }
  return { url, kill: async () => die(null), reached: () => reached, goOn: () => {}, ended, rolledBack }
}

type Killed = { url: string; output(): string; ended: Promise<unknown> }
/**
 * Starts a Kassa of its own on the database of this one. `held`: the requests that the provider's proxy holds, see `hold` of
 * FaultProxy. As soon as it holds all of them, the Kassa is killed.
 */
export type StartKilled = (
  kassa: Pick<Kassa, 'databaseUrl' | 'clock'>,
  settings: Record<string, string>,
  held: Promise<void>[],
) => Promise<Killed>

/** It is a process, which dies by SIGKILL. */
export const spawnKilledKassa: StartKilled = async ({ databaseUrl }, settings, held) => {
  const { kill, ...killed } = await spawnKassa({ DATABASE_URL: databaseUrl, ...settings })
  return { ...killed, ended: Promise.all(held).then(() => kill('SIGKILL')) }
}

/** It is in the test's process, which takes a tenth of the CPU time. */
export const startKilledKassa: StartKilled = async ({ databaseUrl, clock }, settings, held) => {
  let text = ''
  const { kill, rolledBack, ...killed } = await startCrashingKassa({
    databaseUrl,
    bankUrl: '',
    settings,
    sweepsToo: ['moneyOperations', 'renewals'],
    clock,
    logTo: (line) => {
      text += line
    },
  })
  return { ...killed, output: () => text, ended: Promise.all(held).then(kill).then(rolledBack) }
}
