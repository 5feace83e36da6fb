/** Seals every stored secret anew under the newest key of SECRETS_KEY. It may run while the service runs. */
import { placeOf } from '../accounts/seal.ts'
import type { Context } from '../context.ts'
import { lockCredentialsOfOtherKeys, resealCredential } from '../storage/accounts/account-credentials.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { lockSecretsOfOtherKeys, resealWebhookSecret } from '../storage/events/webhook-secrets.ts'

const BATCH = 100

/**
 * Returns how many secrets of this world were sealed anew. Every running process has to know the newest key already: it opens
 * what is stored here. A run that was stopped half-way continues with what is left.
 */
export async function rotateSecrets(ctx: Context): Promise<number> {
  return (await untilDone(ctx, resealWebhookSecrets)) + (await untilDone(ctx, resealCredentials))
}

/** Seals one batch after another. Returns how many values it was. */
async function untilDone(ctx: Context, reseal: (ctx: Context, tx: Tx) => Promise<number>): Promise<number> {
  let count = 0
  for (;;) {
    const done = await inTransaction(ctx.db, (tx) => reseal(ctx, tx))
    count += done
    if (done < BATCH) return count
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
