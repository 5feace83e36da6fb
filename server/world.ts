/** Creates one world's context: its pool, clock, routes, limits and clients for outgoing requests. */
import { openDirectory } from './accounts/directory.ts'
import { noteReach } from './accounts/health.ts'
import type { Config } from './config.ts'
import { type Clock, type Context, systemClock } from './context.ts'
import type { World } from './contract/health.ts'
import type { BucketStore } from './limits/exchange.ts'
import { createSharedBuckets } from './limits/shared-buckets.ts'
import { type Share, WHOLE_SHARE } from './limits/world-share.ts'
import { createExchangeLog } from './log/exchange-log.ts'
import { logFailure } from './log/log.ts'
import { NO_METRICS, type ProviderResult } from './metrics/metrics.ts'
import { createOutbound, type Outbound } from './outbound/outbound.ts'
import { createProviderNetwork, type Exchange } from './providers/http.ts'
import { blockersOf } from './readiness.ts'
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts'
import { readRoutes } from './settings/routes.ts'
import { addToBuckets, readBuckets, takeFromBucket } from './storage/access/shared-buckets.ts'
import type { Db } from './storage/db.ts'

type Parts = Pick<Context, 'db' | 'log' | 'localUrl' | 'vault'> & {
  jobsDb?: Db
  clock?: Clock
  /** False for a process without an HTTP server. Then another process serves the simulated bank. */
  isServing?: boolean
  share?: Share
}

/** Creates the context of the world that the pool belongs to. */
export function createContext(
  given: Config,
  {
    db,
    jobsDb = db,
    log: parentLog,
    vault,
    localUrl,
    clock = systemClock,
    isServing = true,
    share = WHOLE_SHARE,
  }: Parts,
): Context {
  const { world } = db
  const config = configOf(given, world)
  const log = parentLog.child({ world })
  const baseUrl = config.baseUrl ?? localUrl
  const sandbox = world === 'sandbox' ? openSimulators({ db, vault, clock, baseUrl }) : null
  const exchangeLog = createExchangeLog({ db, now: () => clock.now(), log })
  const ctx: Context = {
    world,
    config,
    baseUrl,
    localUrl,
    clock,
    log,
    db,
    jobsDb,
    vault,
    routes: readRoutes(world, routeSettingsOf(config, world)),
    accounts: openDirectory(db, vault, ({ id, route, owner }, problem) =>
      log.error({ accountId: id, route, merchantId: owner, problem }, 'a provider account cannot be used'),
    ),
    providers: openProviders({
      outbound: providerOutbound(world, baseUrl, isServing ? localUrl : null),
      exchangeLog,
      log,
      metrics: () => ctx.metrics,
      onReach: (accountId, unanswered) =>
        void noteReach(ctx, accountId, { unanswered }).catch((error: unknown) =>
          logFailure(log, 'warn', 'the health of an account could not be stored', { err: error, accountId }),
        ),
    }),
    providerDefaults: sandbox?.providerDefaults ?? (() => ({})),
    fiscalDefaults: sandbox?.fiscalDefaults ?? (() => ({})),
    exchangeLog,
    ...(sandbox && { sandbox }),
    outbound: createOutbound(config.callbackAllow),
    share,
    buckets: createSharedBuckets(bucketStore(db), {
      scope: `${world} `,
      onFailure: (error) => logFailure(log, 'warn', 'the shared rate limits are away', { err: error }),
    }),
    metrics: NO_METRICS,
    readinessBlockers: blockersOf(db, vault),
  }
  return ctx
}

function bucketStore(db: Db): BucketStore {
  return {
    take: (...given) => takeFromBucket(db, ...given),
    add: (rows) => addToBuckets(db, rows),
    read: (digests) => readBuckets(db, digests),
  }
}

function openSimulators({
  db,
  vault,
  clock,
  baseUrl,
}: Pick<Context, 'db' | 'vault' | 'clock' | 'baseUrl'>): Sandbox {
  return openSandbox({
    db,
    clock,
    baseUrl,
    derive: (purpose) => vault.derive(purpose),
    // The simulated bank plays an outside system. It must reach this service at any BASE_URL, also at a private one.
    post: createOutbound(['loopback', new URL(baseUrl).host]).post,
  })
}

/**
 * Beside a live world, the sandbox has its own default route, because the live default route may have no simulator. The sandbox
 * sends no mail. Its payments cost nothing, so anybody could make the mail server of real buyers send mail to anybody.
 */
function configOf(config: Config, world: World): Config {
  if (world === config.mode) return config
  return { ...config, defaultProvider: config.sandboxDefaultProvider, smtpServer: undefined }
}

/**
 * In the sandbox, drivers may call this machine, because the simulated bank is served here. A request to our own public address is
 * sent directly to this process's server, because that address may belong to a proxy that cannot be reached from inside.
 */
function providerOutbound(world: World, baseUrl: string, listensAt: string | null) {
  if (world === 'live') return createOutbound([], { anyPort: true })
  const { origin, host } = new URL(baseUrl)
  const own = listensAt === null ? {} : { own: { origin, listensAt } }
  return createOutbound(['loopback', host], { anyPort: true, ...own })
}

/** ROUTE_* settings configure the routes of MODE's world. Beside a live world, SANDBOX_ROUTE_* configure the sandbox's. */
function routeSettingsOf({ mode, routeSettings, sandboxRouteSettings }: Config, world: World) {
  return world === mode ? routeSettings : sandboxRouteSettings
}

type Noted = Pick<Context, 'exchangeLog' | 'log'> & {
  metrics(): Context['metrics']
  /** `unanswered`: how many requests in a row had no answer; 0 when the provider answers again. */
  onReach(accountId: string, unanswered: number): void
}

/** Each request to a provider is logged and counted. `metrics`: they are replaced when the metrics server starts. */
function openProviders({
  outbound,
  exchangeLog,
  log,
  metrics,
  onReach,
}: Noted & { outbound: Outbound }): Context['providers'] {
  return createProviderNetwork({
    outbound,
    record(exchange) {
      exchangeLog.record(exchange)
      metrics().providerRequested(exchange.accountId, resultOf(exchange), exchange.durationMs / 1_000)
    },
    onBreaker(account, change, failures) {
      // Each failed trial reports the provider as away again, because another process may have reached it meanwhile.
      onReach(account, change === 'closed' ? 0 : failures)
      if (change === 'kept_open') return
      metrics().breakerChanged(change)
      log[change === 'open' ? 'warn' : 'info']({ account, failures }, `the provider's breaker is ${change}`)
    },
  })
}

function resultOf({ status, failure }: Exchange): ProviderResult {
  if (status === 401 || status === 403) return 'denied'
  return failure !== null || status === null || status >= 500 ? 'failed' : 'answered'
}
