/**
 * Chooses the account for a merchant's payment. The merchant's own account of the route comes first, if it accepts the currency.
 * Otherwise the deployment's account is used, if the merchant may use it.
 * Rule: creating a merchant never changes where another merchant's money goes.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode, ProviderRoute } from '../contract/fields.ts'
import { type Account, isReady, type Route } from '../providers/registry.ts'
import { allowOnlyMerchant, isOnlyMerchant } from '../storage/accounts/account-merchants.ts'
import type { Accounts } from './book.ts'

type Source = Pick<Context, 'accounts' | 'clock' | 'db' | 'log' | 'routes'>

/** An account that a merchant may use for new payments in these currencies. */
export type Usable = { account: Account; currencies: readonly CurrencyCode[]; isOwn: boolean }

/**
 * Returns the account with this id, retired or not, at most a second old. Returns null if there is none, or if it cannot be
 * used now, because its settings or its stored credentials are not valid.
 */
export async function findAccount(ctx: Source, id: string): Promise<Account | null> {
  const own = ownRoute(ctx, id)
  if (own) return isReady(own) ? own : null
  return (await ctx.accounts.read()).byId.get(id)?.account ?? null
}

/**
 * The same as findAccount, but from memory if possible. It is for callers inside a transaction, who already have a connection of
 * the pool. If all of them waited for a second connection, none would ever get one.
 */
export async function findAccountInTransaction(ctx: Source, id: string): Promise<Account | null> {
  return recallAccount(ctx, id) ?? findAccount(ctx, id)
}

/** Returns the account from memory alone, or null if it is not there. */
export function recallAccount(ctx: Pick<Source, 'accounts' | 'routes'>, id: string): Account | null {
  const own = ownRoute(ctx, id)
  if (own) return isReady(own) ? own : null
  return ctx.accounts.recall()?.byId.get(id)?.account ?? null
}

/** Returns why an account cannot be used now, for operators. */
export function whyNotReady(ctx: Pick<Source, 'accounts' | 'routes'>, id: string): string {
  const own = ownRoute(ctx, id)
  if (own) return own.reason
  return ctx.accounts.recall()?.byId.get(id)?.problem ?? `There is no account ${id}.`
}

function ownRoute({ routes }: Pick<Source, 'routes'>, id: string): Route | undefined {
  return Object.values(routes).find((route) => route.id === id)
}

/** Returns the accounts of a route that a merchant may use, its own first. Writes nothing. */
export async function listUsable(ctx: Source, merchantId: string, name: ProviderRoute): Promise<Usable[]> {
  const accounts = await ctx.accounts.read()
  const own = listOwn(accounts, merchantId, name)
  const route = ctx.routes[name]
  if (!isReady(route)) return own
  const permission = await permissionOf(ctx, accounts, route, merchantId)
  return permission === 'none' ? own : [...own, usableRoute(route)]
}

/**
 * Returns the account for a new payment or saved method of this merchant. It accepts the currency, if one is given, and `suits`
 * returns true for it. Returns null if the merchant may use no such account. The first use of a closed account by the deployment's
 * only merchant is stored, so that merchants who are added later change nothing.
 */
export async function chooseAccount(
  ctx: Source,
  given: {
    merchantId: string
    route: ProviderRoute
    currency?: CurrencyCode
    suits?: (account: Account) => boolean
  },
): Promise<Account | null> {
  const { merchantId, currency, suits = () => true } = given
  const fits = ({ account, currencies }: Usable) =>
    (currency === undefined || currencies.includes(currency)) && suits(account)
  const accounts = await ctx.accounts.read()
  const own = listOwn(accounts, merchantId, given.route).find(fits)
  if (own) return own.account
  const route = ctx.routes[given.route]
  if (!isReady(route) || !fits(usableRoute(route))) return null
  const permission = await permissionOf(ctx, accounts, route, merchantId)
  if (permission === 'first_use') return (await noteFirstUse(ctx, route, merchantId)) ? route : null
  return permission === 'given' ? route : null
}

/** Returns the currencies of an account, retired or not. */
export async function listCurrencies(ctx: Source, account: Account): Promise<readonly CurrencyCode[]> {
  const { currencies } = account.driver
  if (ownRoute(ctx, account.id)) return currencies
  const record = (await ctx.accounts.read()).byId.get(account.id)?.record
  return currencies.filter((each) => record?.currencies.includes(each))
}

function listOwn({ byOwner }: Accounts, merchantId: string, name: ProviderRoute): Usable[] {
  return (byOwner.get(merchantId) ?? []).flatMap(({ record, account }) => {
    if (!account || record.route !== name) return []
    const currencies = record.currencies.filter((each) => account.driver.currencies.includes(each))
    return [{ account, currencies, isOwn: true }]
  })
}

function usableRoute(route: Route & Account): Usable {
  return { account: route, currencies: route.driver.currencies, isOwn: false }
}

/** `first_use`: no merchant was allowed to use the account yet, and this merchant is the deployment's only one. */
type Permission = 'given' | 'first_use' | 'none'

async function permissionOf(
  ctx: Source,
  { byId }: Accounts,
  route: Route,
  merchantId: string,
): Promise<Permission> {
  if (route.shared) return 'given'
  const allowed = byId.get(route.id)?.merchants
  if (allowed?.has(merchantId)) return 'given'
  if (allowed && allowed.size > 0) return 'none'
  return (await isOnlyMerchant(ctx.db, merchantId)) ? 'first_use' : 'none'
}

/** Returns false if another merchant was first. */
async function noteFirstUse(ctx: Source, { id, route }: Route, merchantId: string): Promise<boolean> {
  const noted = await allowOnlyMerchant(ctx.db, { accountId: id, merchantId, allowedAt: ctx.clock.now() })
  ctx.accounts.forget()
  if (noted)
    ctx.log.info({ accountId: id, route, merchantId }, 'the only merchant was allowed to use the account')
  return noted || ((await ctx.accounts.read()).byId.get(id)?.merchants.has(merchantId) ?? false)
}
