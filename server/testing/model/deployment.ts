/**
 * The deployment of the random histories: two worlds, a merchant with an account of its own in each, and a merchant in each who uses
 * the deployment's account. Every history starts with empty books on both sides.
 */
import { allowAccount, retireAccount } from '../../accounts/manage.ts'
import { rotateAccount, setAccount } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import type { World } from '../../contract/health.ts'
import { parseRateLimits } from '../../limits/settings.ts'
import { type Db, openDb } from '../../storage/db.ts'
import { type Kassa, openShop, type Shop } from '../harness.ts'
import { routeSettings } from '../providers/route-settings.ts'
import { onboard, startLive } from '../scene/live.ts'
import { addModelDrivers, type Bank, openBank } from './bank.ts'

/** A merchant in one world, with the bank of its own account if it has one. */
export type Seller = { ctx: Context; shop: Shop; own: Bank | null; accountId: string | null }
export type Deployment = {
  kassa: Kassa
  /** Several deployments run in one process. Their banks have different names. */
  lane: number
  sellers: Seller[]
  banks: Map<string, Bank>
  /** One connection for each world that no part of the service uses: it plans each look at the database once. */
  looks: Record<World, Db>
}

/** The bank of the deployment's account, and that of a merchant's own. */
type Owner = 'shared' | 'own'
const nameOf = (world: World, owner: Owner, lane: number) => `${world}-${owner}-${lane}`
/** In each world one bank remembers keys and withdraws orders, and the other does neither. */
const isKeyed = (bank: string) => /^(sandbox-own|live-shared)/.test(bank)
const driverOf = (bank: string) => (isKeyed(bank) ? 'model_keyed' : 'model_plain')

export async function startDeployment(lane: number): Promise<Deployment> {
  addModelDrivers()
  const settingsAt = (route: string, bank: string) =>
    routeSettings(route, { DRIVER: driverOf(bank), BANK: bank, SECRET: `secret of ${bank}` })
  const settings = {
    DEFAULT_PROVIDER: 'route_a',
    POOL_MAX: '24',
    ...settingsAt('ROUTE_A', nameOf('live', 'shared', lane)),
    ...settingsAt('SANDBOX_ROUTE_A', nameOf('sandbox', 'shared', lane)),
  }
  const kassa = await startLive(settings, { rateLimits: parseRateLimits('off') })
  const looks = { sandbox: await openLook(kassa, 'sandbox'), live: await openLook(kassa, 'live') }
  const sellers: Seller[] = []
  for (const ctx of [kassa.ctx, kassa.live])
    for (const hasOwn of [true, false]) {
      const live = ctx === kassa.live
      const shop = await openShop(ctx, live ? { onboard: (merchantId) => onboard(kassa, merchantId) } : {})
      const accountId = ctx.routes.route_a.id
      if (live) await allowAccount(ctx, { accountId, merchantId: shop.merchantId, allowed: true })
      const own = hasOwn ? openBankOf({ looks, lane }, ctx, 'own', false) : null
      sellers.push({ ctx, shop, own, accountId: null })
    }
  return { kassa, lane, sellers, banks: new Map(), looks }
}

function openBankOf(
  { looks, lane }: Pick<Deployment, 'looks' | 'lane'>,
  { clock, world }: Context,
  owner: Owner,
  named: boolean,
): Bank {
  const name = nameOf(world, owner, lane)
  return openBank({ clock, world, db: looks[world] }, { name, keyed: isKeyed(name), named })
}

/** The service's own statements find rows by their key. A look reads whole tables, so it may plan differently. */
async function openLook({ databaseUrl }: Kassa, world: World): Promise<Db> {
  const db = openDb(databaseUrl, { world, max: 1 })
  // Another connection would not have the settings.
  db.options.idleTimeoutMillis = 0
  await db.query('set enable_seqscan = on; set enable_hashjoin = on; set enable_mergejoin = on')
  return db
}

export async function closeDeployment({ kassa, looks }: Deployment): Promise<void> {
  for (const db of Object.values(looks)) await db.end()
  await kassa.close()
}

/**
 * What a history fills. No foreign key leads to a payment, so each table is named. An operation that is left without its payment
 * would be worked on again and again.
 */
const FILLED = [
  'account_health',
  'account_facts',
  'payments',
  'cancellations',
  'attempts',
  'payment_changes',
  'payment_warnings',
  'idempotency_keys',
  'events',
  'operations',
  'operation_changes',
]

/** Empties the books of both sides, and opens every bank and account. `enabled`: the accounts refund, capture and void. */
export async function resetDeployment(
  deployment: Deployment,
  { named, enabled }: { named: boolean; enabled: boolean },
): Promise<void> {
  const { kassa, sellers, banks } = deployment
  const OPERATIONS = enabled ? 'enabled' : 'disabled'
  for (const ctx of [kassa.ctx, kassa.live]) {
    await ctx.db.query(`truncate ${FILLED.map((table) => `${ctx.world}.${table}`).join(', ')}`)
    for (const owner of ['shared', 'own'] as const) {
      const bank = openBankOf(deployment, ctx, owner, named)
      banks.set(bank.name, bank)
    }
    const { route_a: route } = ctx.routes
    ctx.routes.route_a = { ...route, settings: { ...route.settings, OPERATIONS } }
  }
  for (const seller of sellers) {
    if (!seller.own) continue
    seller.own = banks.get(seller.own.name) ?? seller.own
    const { name: BANK, secret: SECRET } = seller.own
    const { accountId } = await setAccount(seller.ctx, {
      merchantId: seller.shop.merchantId,
      route: 'route_a',
      driver: driverOf(BANK),
      currencies: undefined,
      written: { BANK, SECRET, OPERATIONS },
    })
    seller.accountId = accountId
  }
}

/** The merchant gets new credentials at its bank. Without a new secret, Kassa gets the one that the bank has. */
export async function rotate({ ctx, own, accountId }: Seller, secret?: string): Promise<void> {
  if (!own || !accountId) return
  if (secret !== undefined) own.secret = secret
  await rotateAccount(ctx, accountId, { SECRET: own.secret })
}

/** New payments go to the deployment's account. */
export async function retire({ ctx, accountId }: Seller): Promise<void> {
  if (accountId) await retireAccount(ctx, accountId, { inFavourOfDeployment: true })
}

/** Returns the bank of an account. */
export function bankOf({ sellers, banks }: Deployment, ctx: Context, accountId: string): Bank | undefined {
  const own = sellers.find((each) => each.accountId === accountId)?.own
  return own ?? banks.get(String(ctx.routes.route_a.settings.BANK))
}
