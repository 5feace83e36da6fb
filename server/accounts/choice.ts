/**
 * Chooses the account for a merchant's payment. The merchant's own account of the route comes first, if it accepts the currency.
 * Otherwise the deployment's account is used, if the merchant may use it.
 * Rule: a merchant that is paused or closed has no account for anything new. What has begun finds its account by its id.
 * Rule: creating a merchant never changes where another merchant's money goes. In the currencies of an own account the money goes
 * nowhere else: while that account cannot be used, or its provider refuses it, payments are refused.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode, ProviderRoute } from '../contract/fields.ts'
import { type Account, isReady, type Route } from '../providers/registry.ts'
import { allowOnlyMerchant, isOnlyMerchant } from '../storage/accounts/account-merchants.ts'
import type { Accounts, DirectoryEntry } from './directory.ts'
import { healthOf, takesPayments } from './health.ts'

type ChoiceSource = Pick<Context, 'accounts' | 'clock' | 'db' | 'log' | 'routes'>

/** An account that a merchant may use for new payments in these currencies. */
export type Usable = { account: Account; currencies: readonly CurrencyCode[]; isOwn: boolean }

/**
 * Returns the account with this id, retired or not, at most a second old. Returns null if there is none, or if it cannot be
 * used now, because its settings or its stored credentials are not valid.
 */
export async function findAccount(ctx: ChoiceSource, id: string): Promise<Account | null> {
  const own = ownRoute(ctx, id)
  if (own) return isReady(own) ? own : null
  return (await ctx.accounts.read()).byId.get(id)?.account ?? null
}

/**
 * The same as findAccount, but from memory if possible. It is for callers inside a transaction, who already have a connection of
 * the pool. If all of them waited for a second connection, none would ever get one.
 */
export async function findAccountInTransaction(ctx: ChoiceSource, id: string): Promise<Account | null> {
  return recallAccount(ctx, id) ?? findAccount(ctx, id)
}

/** Returns the account from memory alone, or null if it is not there. */
export function recallAccount(ctx: Pick<ChoiceSource, 'accounts' | 'routes'>, id: string): Account | null {
  const own = ownRoute(ctx, id)
  if (own) return isReady(own) ? own : null
  return ctx.accounts.recall()?.byId.get(id)?.account ?? null
}

/** Returns why an account cannot be used now, for operators. */
export function whyNotReady(ctx: Pick<ChoiceSource, 'accounts' | 'routes'>, id: string): string {
  const own = ownRoute(ctx, id)
  if (own) return own.reason
  return ctx.accounts.recall()?.byId.get(id)?.problem ?? `There is no account ${id}.`
}

function ownRoute({ routes }: Pick<ChoiceSource, 'routes'>, id: string): Route | undefined {
  return Object.values(routes).find((route) => route.id === id)
}

/** Returns how the merchant was stopped, at most a second old; null if it takes new payments. */
export async function findStopped(
  ctx: Pick<ChoiceSource, 'accounts'>,
  merchantId: string,
): Promise<'paused' | 'closed' | null> {
  return (await ctx.accounts.read()).stopped.get(merchantId) ?? null
}

/** Returns the accounts of a route that a merchant may use, its own first. Writes nothing. */
export async function listUsable(
  ctx: ChoiceSource,
  merchantId: string,
  name: ProviderRoute,
): Promise<Usable[]> {
  const accounts = await ctx.accounts.read()
  const { usable: own, blockers } = readOwn(accounts, merchantId, { name, isUsable: isAccepted })
  const route = ctx.routes[name]
  if (!isReady(route) || !isAccepted(accounts.byId.get(route.id))) return own
  const deployments = usableRoute(route, blockers)
  if (deployments.currencies.length === 0) return own
  const permission = await permissionOf(ctx, accounts, route, merchantId)
  return permission === 'none' ? own : [...own, deployments]
}

/**
 * Returns, for each currency in which the merchant's payments on the route are refused, the own account that cannot be used and
 * because of which they are refused.
 */
export async function findBlockers(
  ctx: Pick<ChoiceSource, 'accounts'>,
  merchantId: string,
  name: ProviderRoute,
): Promise<ReadonlyMap<CurrencyCode, DirectoryEntry>> {
  return readOwn(await ctx.accounts.read(), merchantId, { name, isUsable: isAccepted }).blockers
}

/** Returns the deployment's account of the route, if its provider refuses it now and the merchant's payments would go to it. */
export async function findRefused(
  ctx: ChoiceSource,
  merchantId: string,
  name: ProviderRoute,
): Promise<DirectoryEntry | null> {
  const accounts = await ctx.accounts.read()
  const route = ctx.routes[name]
  const entry = accounts.byId.get(route.id)
  if (!entry || !isReady(route) || isAccepted(entry)) return null
  return (await permissionOf(ctx, accounts, route, merchantId)) === 'none' ? null : entry
}

/** Whether the provider accepts the account, as far as is known. */
const isAccepted = (entry: DirectoryEntry | undefined) => !entry || healthOf(entry).state !== 'refusing'

/** Returns the currencies in which an account's owner is refused because of this account. */
export function listBlocks(accounts: Accounts, entry: DirectoryEntry): CurrencyCode[] {
  const { owner, route } = entry.record
  const { blockers } = readOwn(accounts, owner ?? '', { name: route, isUsable: isAccepted })
  return [...blockers].filter(([, blocker]) => blocker === entry).map(([currency]) => currency)
}

/**
 * Returns the account for a new payment or saved method of this merchant. It accepts the currency, if one is given, and `suits`
 * returns true for it. Returns null if the merchant may use no such account. Without a currency the deployment's account is
 * returned only if no own account blocks any currency. An account that its provider refuses is tried again after a while, and for
 * a payment that it refused (`isRepeated`). The first use of a closed account by the deployment's only merchant is stored, so that
 * merchants who are added later change nothing.
 */
export async function chooseAccount(
  ctx: ChoiceSource,
  given: {
    merchantId: string
    route: ProviderRoute
    currency?: CurrencyCode
    suits?: (account: Account) => boolean
    isRepeated?: boolean
  },
): Promise<Account | null> {
  const { merchantId, currency, suits = () => true } = given
  const fits = ({ account, currencies }: Usable) =>
    (currency === undefined || currencies.includes(currency)) && suits(account)
  const accounts = await ctx.accounts.read()
  if (accounts.stopped.has(merchantId)) return null
  const isUsable = (entry: DirectoryEntry | undefined) =>
    given.isRepeated === true || takesPayments(ctx, entry)
  const { usable, blockers } = readOwn(accounts, merchantId, { name: given.route, isUsable })
  const own = usable.find(fits)
  if (own) return own.account
  const route = ctx.routes[given.route]
  const isBlocked = currency === undefined && blockers.size > 0
  if (isBlocked || !isReady(route) || !fits(usableRoute(route, blockers))) return null
  if (!isUsable(accounts.byId.get(route.id))) return null
  const permission = await permissionOf(ctx, accounts, route, merchantId)
  if (permission === 'first_use') return (await noteFirstUse(ctx, route, merchantId)) ? route : null
  return permission === 'given' ? route : null
}

/** Returns the currencies of an account, retired or not. */
export async function listCurrencies(ctx: ChoiceSource, account: Account): Promise<readonly CurrencyCode[]> {
  const { currencies } = account.driver
  if (ownRoute(ctx, account.id)) return currencies
  const record = (await ctx.accounts.read()).byId.get(account.id)?.record
  return currencies.filter((each) => record?.currencies.includes(each))
}

/** `blockers`: for each currency in which no own account can be used although there is one, that account. */
type OwnAccounts = { usable: Usable[]; blockers: ReadonlyMap<CurrencyCode, DirectoryEntry> }

/** What most merchants have: no account of their own. */
const NONE: OwnAccounts = { usable: [], blockers: new Map() }

function readOwn(
  { byOwner }: Accounts,
  merchantId: string,
  { name, isUsable }: { name: ProviderRoute; isUsable(entry: DirectoryEntry): boolean },
): OwnAccounts {
  const all = byOwner.get(merchantId)
  if (!all) return NONE
  const own = all.filter(({ record }) => record.route === name)
  const usable = own.flatMap((entry) => {
    const { record, account } = entry
    if (!account || record.retiredAt !== null || !isUsable(entry)) return []
    const currencies = record.currencies.filter((each) => account.driver.currencies.includes(each))
    return [{ account, currencies, isOwn: true }]
  })
  const blockers = own
    .filter(({ record }) => !record.superseded)
    .flatMap((entry) => entry.record.currencies.map((currency) => [currency, entry] as const))
    .filter(([currency]) => !usable.some(({ currencies }) => currencies.includes(currency)))
  return { usable, blockers: new Map(blockers) }
}

/** The deployment's account, without the currencies that an own account of the merchant blocks. */
function usableRoute(route: Route & Account, blockers: OwnAccounts['blockers']): Usable {
  const { currencies: all } = route.driver
  const currencies = blockers.size === 0 ? all : all.filter((each) => !blockers.has(each))
  return { account: route, currencies, isOwn: false }
}

/** `first_use`: no merchant was allowed to use the account yet, and this merchant is the deployment's only one. */
type Permission = 'given' | 'first_use' | 'none'

async function permissionOf(
  ctx: ChoiceSource,
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
async function noteFirstUse(ctx: ChoiceSource, { id, route }: Route, merchantId: string): Promise<boolean> {
  const noted = await allowOnlyMerchant(ctx.db, { accountId: id, merchantId, allowedAt: ctx.clock.now() })
  ctx.accounts.forget()
  if (noted)
    ctx.log.info({ accountId: id, route, merchantId }, 'the only merchant was allowed to use the account')
  return noted || ((await ctx.accounts.read()).byId.get(id)?.merchants.has(merchantId) ?? false)
}
