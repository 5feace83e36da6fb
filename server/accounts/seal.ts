/**
 * Encrypts and decrypts the secret settings of an account.
 * Rule: each value is bound to its world, its account and its name. In another row it cannot be decrypted.
 */
import type { World } from '../contract/health.ts'
import type { SealingPlace, Vault } from '../secrets/vault.ts'
import type { CredentialRecord } from '../storage/accounts/account-credentials.ts'
import { type Given, secretNames } from './driver-settings.ts'

export function placeOf(
  world: World,
  { accountId, name }: Pick<CredentialRecord, 'accountId' | 'name'>,
): SealingPlace {
  return [world, accountId, name]
}

/** @throws Error if a value cannot be decrypted */
export function openCredentials(world: World, vault: Vault, records: CredentialRecord[]): Given {
  return Object.fromEntries(
    records.map((record) => [record.name, vault.open(record, placeOf(world, record))]),
  )
}

/** Separates the settings that are stored as they are from the secret ones, and encrypts the secret ones for this account. */
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
