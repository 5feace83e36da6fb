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
import { type Kassa, openShop, type Shop, startKassa } from '../harness.ts'
import { onboard } from '../two-worlds.ts'
import { addModelDrivers, type Bank, openBank } from './bank.ts'

/** A merchant in one world, with the bank of its own account if it has one. */
export type Seller = { ctx: Context; shop: Shop; own: Bank | null; accountId: string | null }
export type Deployment = {
  kassa: Kassa
  sellers: Seller[]
  banks: Map<string, Bank>
  /** One connection for each world that no part of the service uses: it plans each look at the database once. */
  looks: Record<World, Db>
}

const SHARED = { sandbox: 'sandbox-shared', live: 'live-shared' } as const
const OWN = { sandbox: 'sandbox-own', live: 'live-own' } as const
/** In each world one bank remembers keys and withdraws orders, and the other does neither. */
const KEYED: readonly string[] = ['sandbox-own', 'live-shared']
const driverOf = (bank: string) => (KEYED.includes(bank) ? 'model_keyed' : 'model_plain')

export async function startDeployment(): Promise<Deployment> {
  addModelDrivers()
  const route = (prefix: string, bank: string) => ({
    [`${prefix}ROUTE_A_DRIVER`]: driverOf(bank),
    [`${prefix}ROUTE_A_BANK`]: bank,
    [`${prefix}ROUTE_A_SECRET`]: `secret of ${bank}`,
  })
  const kassa = await startKassa({
    settings: {
      MODE: 'live',
      BASE_URL: 'https://pay.example',
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      DEFAULT_PROVIDER: 'route_a',
      POOL_MAX: '24',
      ...route('', SHARED.live),
      ...route('SANDBOX_', SHARED.sandbox),
    },
    permitted: { callbackAllow: ['loopback'], rateLimits: parseRateLimits('off') },
  })
  const looks = { sandbox: await openLook(kassa, 'sandbox'), live: await openLook(kassa, 'live') }
  const sellers: Seller[] = []
  for (const ctx of [kassa.ctx, kassa.live])
    for (const hasOwn of [true, false]) {
      const live = ctx === kassa.live
      const shop = await openShop(ctx, live ? { onboard: (merchantId) => onboard(kassa, merchantId) } : {})
      const accountId = ctx.routes.route_a.id
      if (live) await allowAccount(ctx, { accountId, merchantId: shop.merchantId, allowed: true })
      const name = OWN[live ? 'live' : 'sandbox']
      const own = hasOwn
        ? openBank(
            { clock: ctx.clock, db: looks[ctx.world] },
            { name, keyed: KEYED.includes(name), named: false },
          )
        : null
      sellers.push({ ctx, shop, own, accountId: null })
    }
  return { kassa, sellers, banks: new Map(), looks }
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

/** Empties the books of both sides, and opens every bank and account. `enabled`: the accounts refund, capture and void. */
export async function resetDeployment(
  deployment: Deployment,
  { named, enabled }: { named: boolean; enabled: boolean },
): Promise<void> {
  const { kassa, sellers, banks, looks } = deployment
  const OPERATIONS = enabled ? 'enabled' : 'disabled'
  for (const ctx of [kassa.ctx, kassa.live]) {
    const world = ctx === kassa.live ? 'live' : 'sandbox'
    await ctx.db.query(`truncate ${world}.payments, ${world}.idempotency_keys cascade`)
    for (const name of [SHARED[world], OWN[world]])
      banks.set(
        name,
        openBank({ clock: ctx.clock, db: looks[world] }, { name, keyed: KEYED.includes(name), named }),
      )
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
  if (accountId) await retireAccount(ctx, accountId)
}

/** Returns the bank of an account. */
export function bankOf({ sellers, banks }: Deployment, ctx: Context, accountId: string): Bank | undefined {
  const own = sellers.find((each) => each.accountId === accountId)?.own
  return own ?? banks.get(String(ctx.routes.route_a.settings.BANK))
}
