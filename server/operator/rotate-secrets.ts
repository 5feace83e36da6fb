/** Seals every stored secret anew under the newest key of SECRETS_KEY. It may run while the service runs. */
import type { Context } from '../context.ts'
import { inTransaction } from '../storage/db.ts'
import { lockSecretsOfOtherKeys, resealWebhookSecret } from '../storage/events/webhook-secrets.ts'

const BATCH = 100

/**
 * Returns how many secrets of this world were sealed anew. Every running process has to know the newest key already: it opens
 * what is stored here. A run that was stopped half-way continues with what is left.
 */
export async function rotateSecrets(ctx: Context): Promise<number> {
  let count = 0
  for (;;) {
    const done = await inTransaction(ctx.db, async (tx) => {
      const records = await lockSecretsOfOtherKeys(tx, ctx.vault.keyId, BATCH)
      for (const record of records) {
        const place = [ctx.world, record.merchantId, record.id] as const
        const text = ctx.vault.open(record, place)
        await resealWebhookSecret(tx, { ...record, ...ctx.vault.seal(text, place) })
      }
      return records.length
    })
    count += done
    if (done < BATCH) return count
  }
}
