/**
 * The context that every function gets as its first parameter: settings, time, ids, storage and clients for outgoing requests.
 * Rule: no other file reads the time or makes random values.
 */
import type { AccountDirectory } from './accounts/directory.ts'
import type { Config } from './config.ts'
import type { World } from './contract/health.ts'
import type { Buckets } from './limits/token-bucket.ts'
import type { Share } from './limits/world-share.ts'
import type { ExchangeLog } from './log/exchange-log.ts'
import type { Log } from './log/log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { ProviderNetwork } from './providers/http.ts'
import type { RouteTable } from './providers/registry.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { Vault } from './secrets/vault.ts'
import type { Db } from './storage/db.ts'

export type Clock = {
  now(): Date
  /** Only in the sandbox world: how far the clock is ahead of real time, and a function that sets it. */
  sandbox?: { aheadMs(): number; moveTo(aheadMs: number): void }
}

export type Context = {
  /** Whether this is test money (sandbox) or real money (live). */
  world: World
  config: Config
  /** The service's public address, without a trailing slash. */
  baseUrl: string
  /** Where this process itself can be reached from this machine. */
  localUrl: string
  clock: Clock
  log: Log
  db: Db
  /** The world's job queue. It is `db`, unless a pooler is in front of the database, because LISTEN does not work through a pooler. */
  jobsDb: Db
  vault: Vault
  /** The deployment's own account of each route. */
  routes: RouteTable
  /** Every account of the world: merchants' own, and retired ones. */
  accounts: AccountDirectory
  /** The HTTP client for providers, with each account's breaker, limits and cache. */
  providers: ProviderNetwork
  /** Settings that this deployment adds for a driver whose own settings leave them out: the access to its own simulators. */
  providerDefaults(driverName: string | null, settings: Record<string, unknown>): Record<string, unknown>
  /** The same for the driver of the cash register with this name. */
  fiscalDefaults(driverName: string, register: string): Record<string, unknown>
  exchangeLog: ExchangeLog
  /** The simulated bank and cash register. A live world has none. */
  sandbox?: Sandbox
  outbound: Outbound
  /** Limits the sandbox's use of the deployment beside a live world. */
  share: Share
  /** The rate limits' buckets. */
  buckets: Buckets
  /** Counts what happens. Does nothing if METRICS_PORT is not set. */
  metrics: Metrics
  /** Returns why the service should get no requests now. Empty if it is ready. */
  readinessBlockers(): Promise<string[]>
}

/** The contexts of the worlds that a deployment serves. The sandbox is always served. */
export type Worlds = {
  sandbox: Context
  live?: Context
}

/** The machine's own clock. Anybody may set it at any time. */
export const machineClock: Clock = { now: () => new Date() }

let correctionMs = 0
/**
 * The time of this process: the machine's clock at the start, plus the time that has passed since. So nothing becomes due or expires
 * when somebody sets the machine's clock. `start/clock-watch.ts` compares the clocks and corrects this one.
 */
export const systemClock: Clock & { correct(byMs: number): void } = {
  now: () => new Date(performance.timeOrigin + performance.now() + correctionMs),
  correct(byMs) {
    correctionMs += byMs
  },
}

/** A random number in [0, 1), for jitter. */
export function jitter(): number {
  return Math.random()
}
