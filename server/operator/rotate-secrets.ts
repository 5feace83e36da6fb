/** Seals every stored secret again with the newest key of SECRETS_KEY. It may run while the service runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { placeOf } from '../accounts/seal.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { lockCredentialsOfOtherKeys, resealCredential } from '../storage/accounts/account-credentials.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { lockSecretsOfOtherKeys, resealWebhookSecret } from '../storage/events/webhook-secrets.ts'
import { listUsedKeyIds } from '../storage/used-keys.ts'

const BATCH = 100
/** Another process locks a secret only for one short transaction. */
const LOCKED_PAUSE_MS = 100
const LOCKED_PAUSES_MAX = 100

/**
 * Returns how many secrets of this world were sealed again. Every running process has to know the newest key already, because
 * it opens what is stored here. After an interrupted run, the next run continues with the rest.
 * @throws AppError request_in_progress if secrets stay locked, or if a process without the newest key keeps storing secrets
 */
export async function rotateSecrets(ctx: Context): Promise<number> {
  let count = 0
  for (let pauses = 0; ; ) {
    // Each batch does both kinds, so the rotation continues while either kind has secrets left.
    const done = await inTransaction(
      ctx.db,
      async (tx) => (await resealWebhookSecrets(ctx, tx)) + (await resealCredentials(ctx, tx)),
    )
    count += done
    if (done > 0) continue
    // A batch skips secrets that another process has locked.
    if (!(await hasOtherKeys(ctx))) return count
    if (++pauses > LOCKED_PAUSES_MAX)
      throw new AppError('request_in_progress', {
        message: `${count} secrets of the ${ctx.world} world were sealed anew. Others are still sealed under an older key, because they are locked or a running process does not know the newest key. Keep the older keys, restart every process with the newest key in front, and run this again.`,
      })
    await sleep(LOCKED_PAUSE_MS)
  }
}

async function resealWebhookSecrets({ world, vault }: Context, tx: Tx): Promise<number> {
  const records = await lockSecretsOfOtherKeys(tx, vault.keyId, BATCH)
  for (const record of records) {
    const place = [world, record.merchantId, record.id] as const
    await resealWebhookSecret(tx, { ...record, ...vault.seal(vault.open(record, place), place) })
  }
  return records.length
}

async function resealCredentials({ world, vault }: Context, tx: Tx): Promise<number> {
  const records = await lockCredentialsOfOtherKeys(tx, vault.keyId, BATCH)
  for (const record of records) {
    const place = placeOf(world, record)
    await resealCredential(tx, { ...record, ...vault.seal(vault.open(record, place), place) })
  }
  return records.length
}

async function hasOtherKeys({ db, vault }: Context): Promise<boolean> {
  return (await listUsedKeyIds(db)).some((keyId) => keyId !== vault.keyId)
}
