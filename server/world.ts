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
  config: Config,
  { db, jobsDb = db, log: parentLog, vault, localUrl, clock = systemClock }: Parts,
): Context {
  const { world } = db
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
    readinessBlockers: async () => ((await isDatabaseReady(db)) ? [] : ['the database does not answer']),
  }
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
