/**
 * What every verb is given: settings, time, ids, storage and the ways out. Plain functions take it first.
 * Law: time and randomness enter here and nowhere else.
 */
import { randomFillSync } from 'node:crypto'
import type { Config } from './config.ts'
import type { Buckets } from './limits/token-bucket.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Outbound } from './outbound.ts'
import type { SandboxRegister } from './providers/fiscal/sandbox/register.ts'
import type { RouteTable } from './providers/registry.ts'
import type { SandboxBank } from './providers/sandbox/simulator/bank.ts'
import type { SandboxCards } from './providers/sandbox/simulator/cards.ts'
import type { Db } from './storage/db.ts'
import type { Vault } from './vault.ts'

export type Clock = {
  now(): Date
  /** In sandbox mode: how far the clock is ahead of real time, and setting it so far ahead. */
  sandbox?: { aheadMs(): number; moveTo(aheadMs: number): void }
}

export type Context = {
  config: Config
  /** The service's public address, without a trailing slash. */
  baseUrl: string
  /** Where this process itself can be reached from this machine. */
  localUrl: string
  clock: Clock
  log: Log
  db: Db
  vault: Vault
  routes: RouteTable
  bank: SandboxBank
  cards: SandboxCards
  register: SandboxRegister
  outbound: Outbound
  /** Who called how often. */
  buckets: Buckets
  /** Counts what happens; does nothing unless METRICS_PORT is set. */
  metrics: Metrics
  /** Why the service should get no requests now; empty when it should. */
  readinessBlockers(): Promise<string[]>
}

export const systemClock: Clock = { now: () => new Date() }

/** Crockford's base 32, lower case: no letters that are read as digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
const RANDOM_CHARS = 16
const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * A new id such as `pay_01k9...`: 48 bits of milliseconds, so that ids sort by age and new rows sit together in an
 * index, then 80 random bits, so that nobody guesses one.
 */
export function newId(
  prefix:
    | 'mer'
    | 'tok'
    | 'sec'
    | 'ins'
    | 'pay'
    | 'evt'
    | 'req'
    | 'wgt'
    | 'opr'
    | 'pmt'
    | 'sub'
    | 'rcp'
    | 'wrk',
  now: Date,
): string {
  if (used + RANDOM_CHARS > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let text = oldestId(prefix, now)
  for (let index = 0; index < RANDOM_CHARS; index++) text += ALPHABET[(pool[used++] ?? 0) & 31]
  return text
}

/** What every id of this kind that is made at `at` or later sorts behind, and every earlier one before. */
export function oldestId(prefix: string, at: Date): string {
  let time = at.getTime()
  let text = ''
  for (let index = 0; index < TIME_CHARS; index++) {
    text = ALPHABET[time % 32] + text
    time = Math.floor(time / 32)
  }
  return `${prefix}_${text}`
}

/** A random number in [0, 1), for jitter. */
export function jitter(): number {
  return Math.random()
}
