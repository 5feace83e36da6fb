/**
 * At the start, stores the deployment's own accounts from the ROUTE_* settings.
 * Rule: the same contract keeps its account and gets the new credentials. Another contract retires the account before it. A
 * contract that returns gets its retired account again. A retired account keeps its credentials, because the service still asks
 * the provider about its payments.
 */
import type { Context } from '../context.ts'
import { NO_MERCHANT, newId } from '../id.ts'
import { isReady, type Route } from '../providers/registry.ts'
import { type CredentialRecord, listCredentials } from '../storage/accounts/account-credentials.ts'
import {
  type AccountRecord,
  listAccounts,
  lockAccounts,
  retireAccount,
} from '../storage/accounts/accounts.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { findSame, findTaken, storeAccount } from './contract.ts'
import { openCredentials } from './seal.ts'

type DeploymentContext = Pick<Context, 'accounts' | 'clock' | 'db' | 'log' | 'routes' | 'vault' | 'world'>
type StoredAccounts = { all: AccountRecord[]; credentials: CredentialRecord[] }

/**
 * Stores the account of each route and gives the route its id. Several processes may start at once.
 * `byCommand`: the caller is an operator's command, whose settings may differ from the service's. Then no stored account is changed,
 * and only a ready route without an account gets one.
 */
export async function storeOwnAccounts(ctx: DeploymentContext, { byCommand = false } = {}): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const stored = { all: await listAccounts(tx), credentials: await listCredentials(tx) }
    for (const route of Object.values(ctx.routes)) await storeRoute(ctx, tx, stored, { route, byCommand })
  })
  ctx.accounts.forget()
  const { byId } = await ctx.accounts.read()
  for (const route of Object.values(ctx.routes)) {
    const kept = byId.get(route.id)
    if (isReady(route) || !kept?.account) continue
    const { id, ...account } = kept.account
    const reason = 'Ready.'
    Object.assign(route, account, { shared: kept.record.shared, missing: [], misplaced: false, reason })
  }
}

async function storeRoute(
  ctx: DeploymentContext,
  tx: Tx,
  stored: StoredAccounts,
  { route, byCommand }: { route: Route; byCommand: boolean },
): Promise<void> {
  const own = stored.all.filter((each) => each.owner === null && each.route === route.route)
  const active = own.find(({ retiredAt }) => retiredAt === null)
  const same = isReady(route) ? findSame(own, route) : undefined
  // A route with wrong settings keeps its reason, so that the command reports it as the service would at its start.
  if (byCommand && active && (isReady(route) || route.driverName === null)) {
    // If the command's settings differ, the account that the service stored is used.
    if (active !== same) Object.assign(route, { driver: null })
    route.id = active.id
    return
  }
  if (!isReady(route)) {
    if (byCommand) return
    // A route with wrong settings will probably be corrected, so its account stays. A route without a driver was given up.
    if (active && route.driverName === null) await retire(ctx, tx, active)
    return
  }
  const taken = findTaken(stored.all, route, null)
  if (taken) {
    const reason = `Its credentials belong to the account ${taken.id} of the merchant ${taken.owner}.`
    Object.assign(route, { driver: null, reason })
    return
  }
  if (active && active !== same) await retire(ctx, tx, active)
  const id = same?.id ?? newId(ctx.world, 'acc', NO_MERCHANT, ctx.clock.now())
  if (!same || !isUnchanged(ctx, same, route, stored.credentials)) {
    const { shared, written } = route
    await storeAccount(ctx, tx, route, {
      id,
      owner: null,
      currencies: [...route.driver.currencies],
      shared,
      written,
    })
  }
  route.id = id
}

async function retire(ctx: DeploymentContext, tx: Tx, { id, route }: AccountRecord): Promise<void> {
  await retireAccount(tx, { id, retiredAt: ctx.clock.now(), superseded: true })
  ctx.log.warn(
    { accountId: id, route },
    'account retired: the settings now have another contract, or no driver',
  )
}

function isUnchanged(
  ctx: DeploymentContext,
  stored: AccountRecord,
  { driver, written, shared }: Route,
  credentials: CredentialRecord[],
): boolean {
  if (stored.retiredAt !== null || stored.shared !== shared) return false
  // This version may support more currencies than the version that stored the account.
  if (String(driver?.currencies) !== String(stored.currencies)) return false
  try {
    const own = credentials.filter(({ accountId }) => accountId === stored.id)
    const before = { ...stored.settings, ...openCredentials(ctx.world, ctx.vault, own) }
    return isEqual(before, written)
  } catch {
    return false
  }
}

function isEqual(left: Record<string, string>, right: Record<string, string>): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => left[name] === right[name])
}
