/**
 * Stores accounts, both the deployment's and the merchants'.
 * Rule: one contract with a provider is one account. The same driver and identity in the same route are the same contract.
 */
import type { Context } from '../context.ts'
import type { Account } from '../providers/registry.ts'
import { replaceCredentials } from '../storage/accounts/account-credentials.ts'
import { type AccountRecord, saveAccount } from '../storage/accounts/accounts.ts'
import { deleteAccountFacts } from '../storage/accounts/facts.ts'
import { resetAccountHealth } from '../storage/accounts/health.ts'
import type { Tx } from '../storage/db.ts'
import { type Given, identityOf, NO_IDENTITY, plainIdentity } from './driver-settings.ts'
import { sealWritten } from './seal.ts'

/** Returns whether the stored account has the same contract. */
export function isSame({ driver, identity }: AccountRecord, account: Account): boolean {
  return driver === account.driverName && plainIdentity(account.driver, identity) === identityOf(account)
}

/** Returns the owner's account of the contract. An earlier version may have stored several of one contract: the active one counts. */
export function findSame(own: readonly AccountRecord[], account: Account): AccountRecord | undefined {
  const same = own.filter((each) => isSame(each, account))
  return same.find(({ retiredAt }) => retiredAt === null) ?? same[0]
}

/** Returns another owner's active account with the same contract. With two owners, one owner's money would go to the other. */
export function findTaken(
  all: readonly AccountRecord[],
  account: Account,
  owner: string | null,
): AccountRecord | undefined {
  if (identityOf(account) === NO_IDENTITY) return undefined
  return all.find((each) => each.owner !== owner && each.retiredAt === null && isSame(each, account))
}

type StoredContract = Pick<AccountRecord, 'id' | 'owner' | 'currencies' | 'shared'> & {
  /** The settings as the operator wrote them, including secrets. */
  written: Given
}

/** Stores a new account, or new settings and credentials of a stored account. The account is active from now on. */
export async function storeAccount(
  ctx: Pick<Context, 'clock' | 'vault' | 'world'>,
  tx: Tx,
  account: Account,
  { id, owner, currencies, shared, written }: StoredContract,
): Promise<void> {
  const { route, driverName: driver } = account
  const { settings, credentials } = sealWritten(ctx, { accountId: id, driver, written })
  const activeFrom = ctx.clock.now()
  const identity = identityOf(account)
  await saveAccount(tx, { id, route, driver, owner, currencies, settings, identity, shared, activeFrom })
  await replaceCredentials(tx, id, credentials)
  await resetAccountHealth(tx, id, activeFrom)
  await deleteAccountFacts(tx, id)
}
