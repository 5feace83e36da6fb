/** Puts one world's context together: its pool, clock, routes, limits and ways out. */

import { openBook } from './accounts/book.ts'
import type { Config } from './config.ts'
import { type Clock, type Context, systemClock } from './context.ts'
import type { World } from './contract/health.ts'
import { createSharedBuckets } from './limits/shared-buckets.ts'
import { createMemoryBuckets } from './limits/token-bucket.ts'
import { NO_METRICS } from './metrics/metrics.ts'
import { createOutbound } from './outbound.ts'
import { createSandboxRegister } from './providers/fiscal/sandbox/register.ts'
import { createSandboxBank } from './providers/sandbox/simulator/bank.ts'
import { type CardBooks, createSandboxCards } from './providers/sandbox/simulator/cards.ts'
import type { BankBooks } from './providers/sandbox/simulator/order.ts'
import { readRoutes } from './settings/routes.ts'
import type { Db } from './storage/db.ts'
import { listSealingKeys } from './storage/events/webhook-secrets.ts'
import { isDatabaseReady } from './storage/readiness.ts'
import { claimSandboxCallbacks, noteSandboxCallback } from './storage/sandbox/callbacks.ts'
import { changeSandboxCard, findSandboxCard, insertSandboxCard } from './storage/sandbox/cards.ts'
import {
  changeSandboxOrder,
  findNextSandboxDeed,
  findSandboxOrder,
  insertSandboxOrder,
  listDueSandboxOrders,
} from './storage/sandbox/orders.ts'
import { findSandboxReceipt, takeSandboxReceipt } from './storage/sandbox/receipts.ts'

type Parts = Pick<Context, 'db' | 'log' | 'localUrl' | 'vault'> & { jobsDb?: Db; clock?: Clock }

/** A world's context: the pool says which world. */
export function createContext(
  given: Config,
  { db, jobsDb = db, log: parentLog, vault, localUrl, clock = systemClock }: Parts,
): Context {
  const { world } = db
  const config = configOf(given, world)
  const log = parentLog.child({ world })
  const baseUrl = config.baseUrl ?? localUrl
  const address = `${baseUrl}/sandbox/bank`
  const bank = createSandboxBank(sandboxBooks(db), {
    key: vault.derive('sandbox-bank'),
    address,
    // The bank is a house of its own: it reaches us, wherever we are.
    post: createOutbound(['loopback', new URL(baseUrl).host]).post,
  })
  return {
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
    accounts: openBook(db, vault),
    bank,
    cards: createSandboxCards(cardBooks(db), { bank, address }),
    register: createSandboxRegister({
      take: (order, decide) => takeSandboxReceipt(db, order, decide),
      find: (register, reference) => findSandboxReceipt(db, register, reference),
    }),
    outbound: createOutbound(config.callbackAllow),
    buckets: config.redisUrl ? createSharedBuckets(config.redisUrl, log, `${world}:`) : createMemoryBuckets(),
    metrics: NO_METRICS,
    readinessBlockers: blockersOf(db, vault),
  }
}

/** Beside a live world the sandbox has a default route of its own, because the live one may be a route without a simulator. */
function configOf(config: Config, world: World): Config {
  if (world === config.mode) return config
  return { ...config, defaultProvider: config.sandboxDefaultProvider }
}

/** The keys are checked this often at most: health is called without limit. */
const KEYS_CHECKED_FOR_MS = 5_000

/** A process whose keys do not open the stored secrets cannot sign events, so it must not report itself as ready. */
function blockersOf(db: Context['db'], vault: Context['vault']): Context['readinessBlockers'] {
  let checked = { until: 0, opens: true }
  return async () => {
    if (!(await isDatabaseReady(db))) return ['the database does not answer']
    if (performance.now() >= checked.until)
      checked = { until: performance.now() + KEYS_CHECKED_FOR_MS, opens: await opensAll(db, vault) }
    return checked.opens ? [] : ['some stored secrets cannot be opened with the keys of this process']
  }
}

async function opensAll(db: Context['db'], { keyIds }: Context['vault']): Promise<boolean> {
  const used = await listSealingKeys(db).catch(() => [])
  return used.every(({ keyId }) => keyIds.includes(keyId))
}

/** ROUTE_* settings make the routes of MODE's world; beside a live world, SANDBOX_ROUTE_* make the sandbox's. */
function routeSettingsOf({ mode, routeSettings, sandboxRouteSettings }: Config, world: World) {
  return world === mode ? routeSettings : sandboxRouteSettings
}

function sandboxBooks(db: Context['db']): BankBooks {
  return {
    find: (reference) => findSandboxOrder(db, reference),
    insert: (reference, page) => insertSandboxOrder(db, reference, page),
    change: (reference, change) => changeSandboxOrder(db, reference, change),
    listDue: (now, limit) => listDueSandboxOrders(db, now, limit),
    nextDueAt: () => findNextSandboxDeed(db),
    claimCallbacks: (now, leaseUntil, limit) => claimSandboxCallbacks(db, now, leaseUntil, limit),
    noteCallback: (callback, attempt) => noteSandboxCallback(db, callback, attempt),
  }
}

function cardBooks(db: Context['db']): CardBooks {
  return {
    find: (reference) => findSandboxCard(db, reference),
    insert: (reference, card) => insertSandboxCard(db, reference, card),
    change: (reference, change) => changeSandboxCard(db, reference, change),
  }
}
