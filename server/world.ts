/** Creates one world's context: its pool, clock, routes, limits and clients for outgoing requests. */

import { openBook } from './accounts/book.ts'
import type { Config } from './config.ts'
import { type Clock, type Context, systemClock } from './context.ts'
import type { World } from './contract/health.ts'
import { createSharedBuckets } from './limits/shared-buckets.ts'
import { createMemoryBuckets } from './limits/token-bucket.ts'
import { type Share, WHOLE_SHARE } from './limits/world-share.ts'
import { createExchangeLog } from './log/exchange-log.ts'
import { NO_METRICS, type ProviderResult } from './metrics/metrics.ts'
import { createOutbound, type Outbound } from './outbound/outbound.ts'
import { answerRegisterRequest, secretOfRegister } from './providers/fiscal/sandbox/simulator/api.ts'
import { createSandboxRegister } from './providers/fiscal/sandbox/simulator/register.ts'
import { createProviderNetwork, type Exchange } from './providers/http.ts'
import { answerBankRequest } from './providers/sandbox/simulator/api.ts'
import { createSandboxBank, type SandboxBank } from './providers/sandbox/simulator/bank.ts'
import { type CardBooks, createSandboxCards } from './providers/sandbox/simulator/cards.ts'
import { type CustomerBooks, createCustomers } from './providers/sandbox/simulator/customers.ts'
import type { BankBooks } from './providers/sandbox/simulator/order.ts'
import { blockersOf } from './readiness.ts'
import { readRoutes } from './settings/routes.ts'
import type { Db } from './storage/db.ts'
import { claimSandboxCallbacks, noteSandboxCallback } from './storage/sandbox/callbacks.ts'
import { changeSandboxCard, findSandboxCard, insertSandboxCard } from './storage/sandbox/cards.ts'
import { findSandboxClock } from './storage/sandbox/clock.ts'
import { findSandboxCustomer, raiseSandboxCustomer } from './storage/sandbox/customers.ts'
import {
  changeSandboxOrder,
  findNextSandboxDeed,
  findSandboxOrder,
  insertSandboxOrder,
  listDueSandboxOrders,
} from './storage/sandbox/orders.ts'
import { findSandboxReceipt, takeSandboxReceipt } from './storage/sandbox/receipts.ts'

/** The deployment's own customer id at the simulated bank, unless its settings name another. */
const OWN_CUSTOMER = 'kassa'

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
  const { registerKey, ...simulators } = openSimulators({ db, vault, clock, baseUrl })
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
    accounts: openBook(db, vault, ({ id, route, owner }, problem) =>
      log.error({ accountId: id, route, merchantId: owner, problem }, 'a provider account cannot be used'),
    ),
    providers: openProviders({
      outbound: providerOutbound(world, baseUrl, isServing ? localUrl : null),
      exchangeLog,
      log,
      metrics: () => ctx.metrics,
    }),
    providerDefaults: providerDefaults(world, simulators.bank),
    fiscalDefaults: (driverName, register) =>
      world === 'sandbox' && driverName === 'sandbox'
        ? { ADDRESS: `${baseUrl}/sandbox/register`, SECRET: secretOfRegister(registerKey, register) }
        : {},
    exchangeLog,
    ...simulators,
    outbound: createOutbound(config.callbackAllow),
    share,
    buckets: config.redisUrl ? createSharedBuckets(config.redisUrl, log, `${world}:`) : createMemoryBuckets(),
    metrics: NO_METRICS,
    readinessBlockers: blockersOf(db, vault),
  }
  return ctx
}

/** The simulated bank and cash register, and how they answer over HTTP. */
function openSimulators({ db, vault, clock, baseUrl }: Pick<Context, 'db' | 'vault' | 'clock' | 'baseUrl'>) {
  const bank = createBank(db, vault, baseUrl)
  const cards = createSandboxCards(cardBooks(db), bank)
  const registerKey = vault.derive('sandbox-register')
  const register = createSandboxRegister({
    take: (order, decide) => takeSandboxReceipt(db, order, decide),
    find: (id, reference) => findSandboxReceipt(db, id, reference),
  })
  const answerAsBank: Context['answerAsBank'] = async (request) => {
    // Another process may have just moved the clock. This request may come from that process.
    clock.sandbox?.moveTo((await findSandboxClock(db)).offsetMs)
    return answerBankRequest({ bank, cards }, request, clock.now())
  }
  const answerAsRegister: Context['answerAsRegister'] = (request) =>
    answerRegisterRequest({ key: registerKey, register }, request)
  return { bank, cards, registerKey, answerAsBank, answerAsRegister }
}

/**
 * Beside a live world, the sandbox has its own default route, because the live default route may have no simulator. The sandbox
 * sends no mail. Its payments cost nothing, so anybody could make the mail server of real buyers send mail to anybody.
 */
function configOf(config: Config, world: World): Config {
  if (world === config.mode) return config
  return { ...config, defaultProvider: config.sandboxDefaultProvider, smtpServer: undefined }
}

function createBank(db: Context['db'], vault: Context['vault'], baseUrl: string): SandboxBank {
  return createSandboxBank(sandboxBooks(db), {
    customers: createCustomers(customerBooks(db), vault.derive('sandbox-bank')),
    address: `${baseUrl}/sandbox/bank`,
    // The simulated bank plays an outside system. It must reach this service at any BASE_URL, also at a private one.
    post: createOutbound(['loopback', new URL(baseUrl).host]).post,
  })
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

/** Gives the deployment's own customer of the simulated bank working credentials, so that nothing has to be configured. */
function providerDefaults(world: World, { address, customers }: SandboxBank): Context['providerDefaults'] {
  const bank = { ADDRESS: address }
  const own = { ...bank, SECRET: customers.secretOf(OWN_CUSTOMER) }
  return (driverName, { CUSTOMER = OWN_CUSTOMER }) => {
    if (world !== 'sandbox' || driverName !== 'sandbox') return {}
    return CUSTOMER === OWN_CUSTOMER ? own : bank
  }
}

/** ROUTE_* settings configure the routes of MODE's world. Beside a live world, SANDBOX_ROUTE_* configure the sandbox's. */
function routeSettingsOf({ mode, routeSettings, sandboxRouteSettings }: Config, world: World) {
  return world === mode ? routeSettings : sandboxRouteSettings
}

function sandboxBooks(db: Context['db']): BankBooks {
  return {
    find: (at) => findSandboxOrder(db, at),
    insert: (at, page) => insertSandboxOrder(db, at, page),
    change: (at, change) => changeSandboxOrder(db, at, change),
    listDue: (now, limit) => listDueSandboxOrders(db, now, limit),
    nextDueAt: () => findNextSandboxDeed(db),
    claimCallbacks: (now, leaseUntil, limit) => claimSandboxCallbacks(db, now, leaseUntil, limit),
    noteCallback: (callback, attempt) => noteSandboxCallback(db, callback, attempt),
  }
}

function cardBooks(db: Context['db']): CardBooks {
  return {
    find: (at) => findSandboxCard(db, at),
    insert: (at, card) => insertSandboxCard(db, at, card),
    change: (at, change) => changeSandboxCard(db, at, change),
  }
}

function customerBooks(db: Context['db']): CustomerBooks {
  return {
    find: (customer) => findSandboxCustomer(db, customer),
    raise: (customer, versions) => raiseSandboxCustomer(db, customer, versions),
  }
}

type Noted = Pick<Context, 'exchangeLog' | 'log'> & { metrics(): Context['metrics'] }

/** Each request to a provider is logged and counted. `metrics`: they are replaced when the metrics server starts. */
function openProviders({
  outbound,
  exchangeLog,
  log,
  metrics,
}: Noted & { outbound: Outbound }): Context['providers'] {
  return createProviderNetwork({
    outbound,
    record(exchange) {
      exchangeLog.record(exchange)
      metrics().providerAsked(exchange.accountId, resultOf(exchange), exchange.durationMs / 1_000)
    },
    onBreaker(account, state, failures) {
      metrics().breakerChanged(state)
      log[state === 'open' ? 'warn' : 'info']({ account, failures }, `the provider's breaker is ${state}`)
    },
  })
}

function resultOf({ status, failure }: Exchange): ProviderResult {
  if (status === 401 || status === 403) return 'denied'
  return failure !== null || status === null || status >= 500 ? 'failed' : 'answered'
}
