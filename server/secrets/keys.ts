/** The keys that encrypt and decrypt stored secrets: those of the settings, and the one in the data directory. */
import { randomBytes } from 'node:crypto'
import { access, constants, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { explainFileError } from '../postgres/error.ts'
import { nameOf } from '../settings/table.ts'
import { listCredentialKeyIds } from '../storage/accounts/account-credentials.ts'
import type { Db } from '../storage/db.ts'
import { listSealingKeys, type SealingKey } from '../storage/events/webhook-secrets.ts'
import { readGivenKeys } from './source.ts'
import { keyIdOf, type Vault } from './vault.ts'

/** If the database is elsewhere, nothing else creates the data directory. @throws EmbeddedError */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
    .then(() => access(dataDir, constants.W_OK))
    .catch((error: unknown) => {
      throw explainFileError(error, dataDir)
    })
}

/**
 * Returns the keys of the settings, newest first, and `kept`: the key that was made in the data directory, as long as it is
 * needed to decrypt something (`used`: the ids of the keys in use). So SECRETS_KEY can be set for the first time without
 * another step, and after `secrets rotate` every process has only the keys of SECRETS_KEY. Without SECRETS_KEY the key in the
 * data directory is the only one. If there is no key at all, one is made after `beforeMaking`.
 */
export async function readSecretsKeys(
  config: Config,
  dataDir: string,
  { used, beforeMaking }: { used: string[]; beforeMaking(): Promise<void> },
): Promise<{ keys: string[]; kept: string | null }> {
  const secretsKeys = await readGivenKeys(config)
  const file = join(dataDir, 'secrets-key')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (secretsKeys.length > 0)
    return { keys: secretsKeys, kept: kept && used.includes(keyIdOf(kept)) ? kept : null }
  if (kept) return { keys: [kept], kept: null }
  await beforeMaking()
  const key = randomBytes(32).toString('base64')
  await makeDataDir(dataDir)
  return { keys: [await keepFirst(file, key)], kept: null }
}

/**
 * If two processes start at once, both use the key that was stored first. The file gets its name only when the whole key is in it, so
 * nobody reads a part of it, and a process that is killed leaves no empty one.
 */
async function keepFirst(file: string, key: string): Promise<string> {
  const written = `${file}.${randomBytes(8).toString('hex')}`
  await writeFile(written, `${key}\n`, { flag: 'wx', mode: 0o600 })
  await link(written, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(written)
  return (await readFile(file, 'utf8')).trim()
}

/** Returns the ids of the keys that a process with these settings would have. */
export async function listKnownKeyIds(config: Config, dataDir: string): Promise<string[]> {
  return (await findSecretsKeys(config, dataDir)).map(keyIdOf)
}

/** Returns the keys that a process with these settings would have. Makes none. */
export async function findSecretsKeys(config: Config, dataDir: string): Promise<string[]> {
  const secretsKeys = await readGivenKeys(config)
  const kept = (await readFile(join(dataDir, 'secrets-key'), 'utf8').catch(() => '')).trim()
  return [...secretsKeys, ...(kept ? [kept] : [])]
}

/** Reads the ids of the keys that seal the worlds' secrets. */
export async function readSealingKeys(dbs: Iterable<Db>): Promise<WorldKeys[]> {
  const worlds: WorldKeys[] = []
  for (const db of dbs) {
    const [keys, credentialKeyIds] = [await listSealingKeys(db), await listCredentialKeyIds(db)]
    worlds.push({ world: db.world, keys, credentialKeyIds })
  }
  return worlds
}

/** @throws AppError that names, for each missing key, a stored secret that cannot be decrypted */
export function expectKeysOpen(worlds: WorldKeys[], vault: Vault): void {
  const name = nameOf('secretsKeys')
  const closed = worlds.flatMap(({ world, keys }) => keys.map((key) => ({ world, ...key })))
  const missing = closed.filter(({ keyId }) => !vault.keyIds.includes(keyId)).map(describe)
  for (const { world, keys, credentialKeyIds } of worlds)
    for (const keyId of credentialKeyIds)
      if (!vault.keyIds.includes(keyId) && !keys.some((key) => key.keyId === keyId))
        missing.push(`credentials of accounts in the ${world} world (key ${keyId})`)
  if (missing.length > 0)
    throw new AppError('storage_unavailable', {
      message:
        `${name} does not open secrets in this database: ${missing.join(', and ')}. ` +
        `Add the missing key behind the newer one: ${name}=NEWER,EARLIER. A key that this service made for itself is in the file secrets-key of the DATA_DIR that it had then.`,
    })
  const changed = closed.filter((key) => !opens(vault, key))
  if (changed.length > 0)
    throw new AppError('storage_unavailable', {
      message:
        `Secrets in this database do not open, although ${name} has their key: ${changed.map(describe).join(', and ')}. ` +
        'They were changed or moved after they had been stored. Restore the table webhook_secrets from a backup.',
    })
}

/** `keys`: those of callback secrets, each with one of its secrets. `credentialKeyIds`: those of accounts' credentials. */
type WorldKeys = { world: World; keys: SealingKey[]; credentialKeyIds: string[] }
type ClosedKey = SealingKey & { world: World }

function describe({ world, count, id, merchantId, keyId }: ClosedKey): string {
  const which = `${id} of the merchant ${merchantId}`
  return count === 1
    ? `the ${world} world's webhook secret ${which}, sealed under the key ${keyId}`
    : `${count} webhook secrets of the ${world} world such as ${which}, sealed under the key ${keyId}`
}

function opens(vault: Vault, { world, merchantId, id, ...sealed }: ClosedKey): boolean {
  try {
    vault.open(sealed, [world, merchantId, id])
    return true
  } catch {
    return false
  }
}
