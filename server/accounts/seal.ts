/**
 * Seals the secret settings of an account, and opens them.
 * Rule: each is bound to its world, its account and its name. Moved to another row, it does not open.
 */
import type { World } from '../contract/health.ts'
import type { CredentialRecord } from '../storage/accounts/account-credentials.ts'
import type { Place, Vault } from '../vault.ts'
import { type Given, secretNames } from './driver-settings.ts'

export function placeOf(
  world: World,
  { accountId, name }: Pick<CredentialRecord, 'accountId' | 'name'>,
): Place {
  return [world, accountId, name]
}

/** @throws Error when a value does not open */
export function openCredentials(world: World, vault: Vault, records: CredentialRecord[]): Given {
  return Object.fromEntries(
    records.map((record) => [record.name, vault.open(record, placeOf(world, record))]),
  )
}

/** Parts written settings into those that are stored as they are and those that are sealed for this account. */
export function sealWritten(
  { world, vault }: { world: World; vault: Vault },
  { accountId, driver, written }: { accountId: string; driver: string; written: Given },
): { settings: Given; credentials: Omit<CredentialRecord, 'accountId'>[] } {
  const secret = secretNames(driver, written.FISCAL)
  const all = Object.entries(written)
  return {
    settings: Object.fromEntries(all.filter(([name]) => !secret.includes(name))),
    credentials: all
      .filter(([name]) => secret.includes(name))
      .map(([name, value]) => ({ name, ...vault.seal(value, placeOf(world, { accountId, name })) })),
  }
}
