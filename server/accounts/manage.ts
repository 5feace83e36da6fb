/** What an operator can do with accounts: list and show them, allow merchants to use the deployment's accounts, and retire them. */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { notifyOwner } from '../notices/notify.ts'
import { deleteAccountMerchant, insertAccountMerchant } from '../storage/accounts/account-merchants.ts'
import {
  listAccounts as listRecords,
  lockAccounts,
  retireAccount as retire,
} from '../storage/accounts/accounts.ts'
import { inTransaction } from '../storage/db.ts'
import { type AccountFacts, factsOf } from './account-facts.ts'
import { shownCallbackUrl, shownReturnUrl } from './callback-address.ts'
import { listBlocks } from './choice.ts'
import type { Accounts, DirectoryEntry } from './directory.ts'
import { prefixOf, secretNames } from './driver-settings.ts'
import { adviceOn, type HealthState, healthOf } from './health.ts'
import { expectMerchant, noSuchAccount, ownByEnvironment } from './set.ts'

/** An account as operators see it. It has the names of its credentials, never their values. */
export type AccountView = Omit<
  DirectoryEntry['record'],
  'id' | 'version' | 'activeFrom' | 'retiredAt' | 'identity' | 'superseded' | 'refusedAt' | 'refusedReason'
> & {
  accountId: string
  credentials: string[]
  /** The merchants who may use a closed account of the deployment. Null for other accounts: the owner uses them, or every merchant. */
  merchants: string[] | null
  activeFrom: string
  retiredAt: string | null
  /** Why the account cannot be used now. Null if it can be used. */
  problem: string | null
  /** The currencies in which its owner's payments on the route are refused because of this account. */
  blocks: CurrencyCode[]
  /** The address at which its provider reports to it. Null for a provider that reports nothing. */
  callbackUrl: string | null
  /** Where the provider sends every buyer back; null if the driver names an address for each order. */
  returnUrl: string | null
  /** When and why the provider last refused requests because of the account; null if it has not since the account was last set. */
  lastRefusal: { at: string; message: string } | null
  /** Whether it can be used, since when, why, and what to do. */
  health: HealthView
  /** What is known of its contract. Null while it cannot be opened. */
  facts: AccountFacts | null
}

export type HealthView = {
  state: HealthState
  since: string | null
  reason: string | null
  advice: string | null
}

/**
 * Returns the accounts of the world, the oldest first. `merchantId`: only those that this merchant owns or may use. Without `all`
 * a retired account is left out, unless payments are refused because of it.
 */
export async function listAccounts(
  ctx: Context,
  { merchantId, all = false }: { merchantId?: string | undefined; all?: boolean } = {},
): Promise<AccountView[]> {
  ctx.accounts.forget()
  const accounts = await ctx.accounts.read()
  return [...accounts.byId.values()]
    .filter((entry) => merchantId === undefined || mayUse(entry, merchantId))
    .map((entry) => presentAccount(ctx, accounts, entry))
    .filter(({ retiredAt, blocks }) => all || retiredAt === null || blocks.length > 0)
}

function mayUse({ record, merchants }: DirectoryEntry, merchantId: string): boolean {
  return (
    record.owner === merchantId || (record.owner === null && (record.shared || merchants.has(merchantId)))
  )
}

function presentAccount(ctx: Context, accounts: Accounts, entry: DirectoryEntry): AccountView {
  const { record, merchants, problem } = entry
  const {
    id,
    version: _version,
    identity: _identity,
    superseded: _superseded,
    refusedAt,
    refusedReason,
    activeFrom,
    retiredAt,
    ...shown
  } = record
  const isClosed = record.owner === null && !record.shared
  return {
    accountId: id,
    ...shown,
    credentials: secretNames(record.driver, record.settings.FISCAL),
    merchants: isClosed ? [...merchants] : null,
    activeFrom: activeFrom.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
    problem,
    blocks: listBlocks(accounts, entry),
    callbackUrl: shownCallbackUrl(ctx, record),
    returnUrl: shownReturnUrl(ctx, record),
    health: presentHealth(entry),
    facts: factsOf(ctx, entry),
    lastRefusal: refusedAt && { at: refusedAt.toISOString(), message: refusedReason ?? '' },
  }
}

function presentHealth(entry: DirectoryEntry): HealthView {
  const health = healthOf(entry)
  const { state, since, reason } = health
  return { state, since: since?.toISOString() ?? null, reason, advice: adviceOn(health) }
}

/** Returns the account as operators see it. @throws AppError not_found */
export async function getAccountView(ctx: Context, accountId: string): Promise<AccountView> {
  ctx.accounts.forget()
  const accounts = await ctx.accounts.read()
  const entry = accounts.byId.get(accountId)
  if (!entry) throw noSuchAccount(accountId)
  return presentAccount(ctx, accounts, entry)
}

/** Whether a merchant may use an account of the deployment. */
export type Sharing = { accountId: string; merchantId: string; allowed: boolean }

/**
 * Allows or forbids a merchant to use an account of the deployment. Existing payments keep the account.
 * @throws AppError not_found; validation_failed for a merchant's own account or a shared one
 */
export async function allowAccount(
  ctx: Context,
  { accountId, merchantId, allowed }: Sharing,
): Promise<AccountView> {
  await expectMerchant(ctx, merchantId)
  const { owner, shared, route } = await getAccountView(ctx, accountId)
  if (owner !== null)
    throw new AppError('validation_failed', {
      reason: 'account_of_shop',
      about: { account: accountId },
      message: `The account ${accountId} belongs to the merchant ${owner}, and no other merchant can use it.`,
    })
  if (shared)
    throw new AppError('validation_failed', {
      reason: 'account_for_all',
      about: { account: accountId },
      message: `The account ${accountId} is open to every merchant. To close it, set ${prefixOf(route)}SHARED=false and restart the service.`,
    })
  const row = { accountId, merchantId }
  await inTransaction(ctx.db, async (tx) => {
    if (!allowed) return deleteAccountMerchant(tx, row)
    await insertAccountMerchant(tx, { ...row, allowedAt: ctx.clock.now() })
    await notifyOwner(ctx, tx, merchantId, 'account')
  })
  return getAccountView(ctx, accountId)
}

/**
 * Retires a merchant's account. New payments no longer use it. Its existing payments, refunds and renewals still do.
 * `inFavourOfDeployment`: new payments of the merchant in its currencies may use the deployment's account. Otherwise they are
 * refused until the merchant has another own account. This also works for an account that is retired already.
 * @throws AppError not_found; validation_failed for the deployment's own account
 */
export async function retireAccount(
  ctx: Context,
  accountId: string,
  { inFavourOfDeployment = false } = {},
): Promise<AccountView> {
  const { owner, route } = await getAccountView(ctx, accountId)
  if (owner === null) throw ownByEnvironment(route)
  await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const record = (await listRecords(tx)).find(({ id }) => id === accountId)
    if (!record) return
    const { retiredAt, superseded } = record
    await retire(tx, {
      id: accountId,
      retiredAt: retiredAt ?? ctx.clock.now(),
      superseded: superseded || inFavourOfDeployment,
    })
    if (inFavourOfDeployment) await notifyOwner(ctx, tx, owner, 'account')
  })
  return getAccountView(ctx, accountId)
}
