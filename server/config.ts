/**
 * The settings of the service: the environment, checked once at start. Every problem is reported at once.
 * Law: no other file knows a setting's name.
 */
import { z } from 'zod'
import { complaint } from './complaint.ts'
import { PROVIDER_ROUTES } from './contract/fields.ts'
import { MODES } from './contract/health.ts'
import { parseRateLimits, type RateLimits } from './limits/settings.ts'
import { parseTrustProxy, type TrustProxy } from './limits/trust-proxy.ts'

export const DAY_SECONDS = 86_400

const seconds = (fallback: number) => z.coerce.number().int().min(0).default(fallback)
const secondsList = (fallback: number[]) =>
  z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be whole seconds separated by commas, such as 0,5,300')
    .transform((text) => text.split(',').map(Number))
    .default(fallback)
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
/** A setting with a notation of its own; `parse` throws an Error that says what is wrong. */
const notation = <Value>(parse: (text: string) => Value) =>
  z.string().transform((text, check) => {
    try {
      return parse(text)
    } catch (error) {
      check.addIssue((error as Error).message)
      return z.NEVER
    }
  })
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )

export const Environment = z.object({
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an absolute http(s) address' }).optional(),
  MODE: z.enum(MODES).default('sandbox'),
  PROCESS: z.enum(['all', 'web', 'worker']).default('all'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  DATA_DIR: z.string().min(1).optional(),
  SECRETS_KEY: list.refine(
    (keys) => keys.every((text) => Buffer.from(text, 'base64').length === 32),
    'must be base64 of 32 bytes (openssl rand -base64 32), or several such keys separated by commas, the newest first',
  ),
  /** The same database without the pooler that stands before it; set it where DATABASE_URL names a pooler. */
  DATABASE_DIRECT_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional(),
  DEFAULT_PROVIDER: z.enum(PROVIDER_ROUTES).default('route_a'),
  CALLBACK_ALLOW: list,
  RATE_LIMITS: notation(parseRateLimits).default(parseRateLimits('')),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// address' }).optional(),
  TRUST_PROXY: notation(parseTrustProxy).default(false),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SEED_DEMO: flag.optional(),
  // The start holds one connection while the queue's own migrations ask for another.
  POOL_MAX: z.coerce.number().int().min(2).max(500).default(10),
  SESSION_TTL: seconds(90 * 60),
  /** Of links that name no end of their own; at most as far ahead as one that does. */
  LINK_TTL: z.coerce
    .number()
    .int()
    .min(1)
    .max(90 * DAY_SECONDS)
    .default(30 * DAY_SECONDS),
  IDEMPOTENCY_LEASE: seconds(90),
  IDEMPOTENCY_TTL: z.coerce
    .number()
    .int()
    .min(DAY_SECONDS, `must be at least 24 hours (${DAY_SECONDS})`)
    .default(30 * DAY_SECONDS),
  DELIVERY_LEASE: seconds(60),
  /** How long a money operation whose answer is lost is looked for in the provider's books before a person decides. */
  OPERATION_REVIEW_AFTER: seconds(600),
  EVENT_RETRY_DELAYS: secondsList([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]),
  EVENT_TIMEOUT: z.coerce.number().min(0.1).max(30).default(15),
  EVENT_RETENTION: z.coerce
    .number()
    .int()
    .min(DAY_SECONDS, `must be at least a day (${DAY_SECONDS})`)
    .default(30 * DAY_SECONDS),
  ENDPOINT_PAUSE_AFTER: seconds(5 * DAY_SECONDS),
  ENDPOINT_PROBE_INTERVAL: seconds(3_600),
  /** How long after each failed attempt a renewal is tried again; after the last one the subscription ends. */
  DUNNING_DELAYS: secondsList([172_800, 432_000, 604_800, 604_800]),
  STATUS_SYNC_DELAYS: secondsList([10, 30, 60, 120, 300, 600, 900]),
})

export type Config = {
  port: number
  host: string
  /** Undefined: no metrics. */
  metricsPort: number | undefined
  metricsHost: string
  /** Without a trailing slash; undefined means: this server's own address, known once it listens. */
  baseUrl: string | undefined
  mode: 'sandbox' | 'live'
  isModeSet: boolean
  process: 'all' | 'web' | 'worker'
  databaseUrl: string | undefined
  dataDir: string | undefined
  /** Newest first; empty where none is set. */
  secretsKeys: string[]
  /** Set where a pooler stands before the database: the address that leads past it. */
  databaseDirectUrl: string | undefined
  defaultProvider: (typeof PROVIDER_ROUTES)[number]
  callbackAllow: string[]
  /** Null: off. */
  rateLimits: RateLimits | null
  /** Where the rate limits are counted together; undefined: each process for itself. */
  redisUrl: string | undefined
  trustProxy: TrustProxy
  logLevel: string
  seedDemo: boolean
  poolMax: number
  sessionTtlSeconds: number
  linkTtlSeconds: number
  idempotencyLeaseSeconds: number
  /** How long a key that a caller chose can be replayed. */
  idempotencyTtlSeconds: number
  deliveryLeaseSeconds: number
  operationReviewAfterSeconds: number
  eventRetryDelaysSeconds: number[]
  /** The whole exchange with a receiver, from the name look-up to the last byte that is read. */
  eventTimeoutSeconds: number
  eventRetentionSeconds: number
  /** After so long without a success an endpoint is paused, and then tried once an interval. */
  endpointPauseAfterSeconds: number
  endpointProbeIntervalSeconds: number
  dunningDelaysSeconds: number[]
  statusSyncDelaysSeconds: number[]
  /** The ROUTE_* settings, read by `providers/registry.ts` against each driver's own schema. */
  routeSettings: Record<string, string>
  /** The SANDBOX_ROUTE_* settings, which count beside a live world, without their first word. */
  sandboxRouteSettings: Record<string, string>
}

/** The environment does not make a working configuration; `problems` has one line for each setting. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Kassa cannot start with these settings:\n${problems.map((line) => `  ${line}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** An empty variable counts as unset, as shells and compose files often leave them. */
function givenOnly(environment: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1]),
  )
}

/**
 * Reads the settings from an environment. Sources: `decisions.md` 10, repeated in the README.
 * @throws ConfigError naming every wrong or missing setting.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = givenOnly(environment)
  const parsed = Environment.safeParse(given, { error: complaint })
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  if (given.MODE === 'live') problems.push(...liveProblems(given))
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  const settings = parsed.data
  return {
    port: settings.PORT,
    host: settings.HOST,
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    baseUrl: settings.BASE_URL?.replace(/\/+$/, ''),
    mode: settings.MODE,
    isModeSet: given.MODE !== undefined,
    process: settings.PROCESS,
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
    secretsKeys: settings.SECRETS_KEY,
    databaseDirectUrl: settings.DATABASE_DIRECT_URL,
    defaultProvider: settings.DEFAULT_PROVIDER,
    callbackAllow:
      given.CALLBACK_ALLOW === undefined && settings.MODE === 'sandbox'
        ? ['loopback']
        : settings.CALLBACK_ALLOW,
    rateLimits: settings.RATE_LIMITS,
    redisUrl: settings.REDIS_URL,
    trustProxy: settings.TRUST_PROXY,
    logLevel: settings.LOG_LEVEL,
    seedDemo: settings.SEED_DEMO ?? settings.MODE === 'sandbox',
    poolMax: settings.POOL_MAX,
    sessionTtlSeconds: settings.SESSION_TTL,
    linkTtlSeconds: settings.LINK_TTL,
    idempotencyLeaseSeconds: settings.IDEMPOTENCY_LEASE,
    idempotencyTtlSeconds: settings.IDEMPOTENCY_TTL,
    deliveryLeaseSeconds: settings.DELIVERY_LEASE,
    operationReviewAfterSeconds: settings.OPERATION_REVIEW_AFTER,
    eventRetryDelaysSeconds: settings.EVENT_RETRY_DELAYS,
    eventTimeoutSeconds: settings.EVENT_TIMEOUT,
    eventRetentionSeconds: settings.EVENT_RETENTION,
    endpointPauseAfterSeconds: settings.ENDPOINT_PAUSE_AFTER,
    endpointProbeIntervalSeconds: settings.ENDPOINT_PROBE_INTERVAL,
    dunningDelaysSeconds: settings.DUNNING_DELAYS,
    statusSyncDelaysSeconds: settings.STATUS_SYNC_DELAYS,
    routeSettings: settingsOfRoutes(given, ''),
    sandboxRouteSettings: settingsOfRoutes(given, 'SANDBOX_'),
  }
}

function settingsOfRoutes(given: Record<string, string>, before: string): Record<string, string> {
  const start = `${before}ROUTE_`
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      name.startsWith(start) ? [[name.slice(before.length), value]] : [],
    ),
  )
}

/** What live mode demands beyond well-formed settings. */
function liveProblems(given: Record<string, string>): string[] {
  const problems: string[] = []
  if (!given.BASE_URL?.startsWith('https://')) problems.push('BASE_URL: live mode needs an https address')
  if (!given.SECRETS_KEY) problems.push('SECRETS_KEY: live mode needs a key (openssl rand -base64 32)')
  for (const [name, value] of Object.entries(given))
    if (/^ROUTE_([A-E]_DRIVER|\w+_FISCAL)$/.test(name) && value === 'sandbox')
      problems.push(`${name}: the sandbox driver is not for live mode`)
  return problems
}
