/** Seals every stored secret again with the newest key of SECRETS_KEY. It may run while the service runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { placeOfCode } from '../access/sign-in.ts'
import { placeOf } from '../accounts/seal.ts'
import type { Context, Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { expectKeysOpen, readSealingKeys } from '../secrets/keys.ts'
import { announceRotation } from '../secrets/presence.ts'
import { lockPasswordsOfOtherKeys, resealPassword } from '../storage/access/credentials.ts'
import { lockCredentialsOfOtherKeys, resealCredential } from '../storage/accounts/account-credentials.ts'
import { inTransaction, openOtherWorld, type Tx } from '../storage/db.ts'
import { lockSecretsOfOtherKeys, resealWebhookSecret } from '../storage/events/webhook-secrets.ts'
import { hasLiveWorld } from '../storage/migrate.ts'
import { listUsedKeyIds } from '../storage/used-keys.ts'

const BATCH = 100
/** Another process locks a secret only for one short transaction. */
const LOCKED_PAUSE_MS = 100
const LOCKED_PAUSES_MAX = 100

/** What the rotation needs of a world. */
type Sealing = Pick<Context, 'world' | 'db' | 'vault'>

/**
 * Seals the secrets of every world in the database again, also of a live world that a deployment in sandbox mode does not serve:
 * an older key is needed as long as it opens anything anywhere. Returns the count of each world.
 * @throws AppError those of rotateSecrets; before anything is changed, storage_unavailable if a key of the live world is missing, and
 * request_in_progress that names a running process which does not know the newest key
 */
export async function rotateEverySecret({ sandbox, live }: Worlds): Promise<Partial<Record<World, number>>> {
  const unserved = !live && (await hasLiveWorld(sandbox.db)) ? openOtherWorld(sandbox.db, 'live') : null
  try {
    if (unserved) expectKeysOpen(await readSealingKeys([unserved]), sandbox.vault)
    const other: Sealing | null = unserved && { world: 'live', db: unserved, vault: sandbox.vault }
    const presence = await announceRotation(sandbox.jobsDb, sandbox.vault)
    try {
      const rotated: Partial<Record<World, number>> = {}
      for (const each of [sandbox, live ?? other]) if (each) rotated[each.world] = await rotateSecrets(each)
      return rotated
    } finally {
      await presence.end()
    }
  } finally {
    await unserved?.end()
  }
}

/**
 * Returns how many secrets of this world were sealed again. Every running process must know the newest key. After an
 * interrupted run, the next run continues with the rest.
 * @throws AppError request_in_progress if secrets stay locked, or if a process without the newest key keeps storing secrets
 */
export async function rotateSecrets(ctx: Sealing): Promise<number> {
  let count = 0
  for (let pauses = 0; ; ) {
    // Each batch does every kind, so the rotation continues while any kind has secrets left.
    const done = await inTransaction(
      ctx.db,
      async (tx) =>
        (await resealWebhookSecrets(ctx, tx)) +
        (await resealCredentials(ctx, tx)) +
        (await resealCodes(ctx, tx)),
    )
    count += done
    if (done > 0) continue
    // A batch skips secrets that another process has locked.
    if (!(await hasOtherKeys(ctx))) return count
    if (++pauses > LOCKED_PAUSES_MAX)
      throw new AppError('request_in_progress', {
        message: `Secrets of the ${ctx.world} world that were sealed anew: ${count}. Others are still sealed under an older key, because they are locked or a running process does not know the newest key. Keep the older keys, restart every process with the newest key in front, and run this again.`,
      })
    await sleep(LOCKED_PAUSE_MS)
  }
}

async function resealWebhookSecrets({ world, vault }: Sealing, tx: Tx): Promise<number> {
  const records = await lockSecretsOfOtherKeys(tx, vault.keyId, BATCH)
  for (const record of records) {
    const place = [world, record.merchantId, record.id] as const
    await resealWebhookSecret(tx, { ...record, ...vault.seal(vault.open(record, place), place) })
  }
  return records.length
}

async function resealCredentials({ world, vault }: Sealing, tx: Tx): Promise<number> {
  const records = await lockCredentialsOfOtherKeys(tx, vault.keyId, BATCH)
  for (const record of records) {
    const place = placeOf(world, record)
    await resealCredential(tx, { ...record, ...vault.seal(vault.open(record, place), place) })
  }
  return records.length
}

/** The secrets of people's codes belong to no world. Whichever world comes first does them. */
async function resealCodes({ vault }: Sealing, tx: Tx): Promise<number> {
  const records = await lockPasswordsOfOtherKeys(tx, vault.keyId, BATCH)
  for (const record of records) {
    const place = placeOfCode(record.operatorId)
    await resealPassword(tx, { ...record, ...vault.seal(vault.open(record, place), place) })
  }
  return records.length
}

async function hasOtherKeys({ db, vault }: Sealing): Promise<boolean> {
  return (await listUsedKeyIds(db)).some((keyId) => keyId !== vault.keyId)
}
