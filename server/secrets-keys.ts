/** The keys that seal and open stored secrets: those of SECRETS_KEY, and the one that the data directory keeps. */
import { randomBytes } from 'node:crypto'
import { access, chmod, constants, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { AppError } from './errors.ts'
import { explainFileError } from './postgres/error.ts'
import { nameOf } from './settings/table.ts'
import type { Db } from './storage/db.ts'
import { listSealingKeys } from './storage/events/webhook-secrets.ts'
import type { Vault } from './vault.ts'

/** With a database elsewhere nothing else creates the data directory. @throws EmbeddedError */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
    .then(() => access(dataDir, constants.W_OK))
    .catch((error: unknown) => {
      throw explainFileError(error, dataDir)
    })
}

/**
 * The keys of SECRETS_KEY, newest first, and the key that was made in the data directory: secrets that were sealed before
 * SECRETS_KEY was set still open. Without SECRETS_KEY the made key is the only one. It is made now if there is none, after
 * `beforeMaking`.
 */
export async function readSecretsKeys(
  { secretsKeys = [] }: Config,
  dataDir: string,
  beforeMaking: () => Promise<void>,
): Promise<{ keys: string[]; kept: string | null }> {
  const file = join(dataDir, 'secrets-key')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (secretsKeys.length > 0) return { keys: secretsKeys, kept: kept || null }
  if (kept) return { keys: [kept], kept: null }
  await beforeMaking()
  const key = randomBytes(32).toString('base64')
  await makeDataDir(dataDir)
  // Two processes that start at once agree on whichever came first.
  await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600 }).catch(() => {})
  await chmod(file, 0o600)
  return { keys: [(await readFile(file, 'utf8')).trim()], kept: null }
}

/** @throws AppError when a stored secret was sealed under a key that is not given */
export async function expectKeysOpen(db: Db, vault: Vault): Promise<void> {
  const missing = (await listSealingKeys(db)).filter((keyId) => !vault.keyIds.includes(keyId))
  const name = nameOf('secretsKeys')
  if (missing.length > 0)
    throw new AppError('storage_unavailable', {
      message:
        `${name} does not open secrets in this database that were sealed under the key ${missing.join(', ')}. ` +
        `Add that key behind the newer one: ${name}=NEWER,EARLIER.`,
    })
}
