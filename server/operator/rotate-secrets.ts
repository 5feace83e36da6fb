/** Seals every stored secret anew under the newest key of SECRETS_KEY. It may run while the service runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { inTransaction } from '../storage/db.ts'
import {
  listSealingKeys,
  lockSecretsOfOtherKeys,
  resealWebhookSecret,
} from '../storage/events/webhook-secrets.ts'

const BATCH = 100
/** Somebody else's lock on a secret lasts for one short transaction. */
const LOCKED_PAUSE_MS = 100
const LOCKED_PAUSES_MAX = 100

/**
 * Returns how many secrets of this world were sealed anew. Every running process has to know the newest key already: it opens
 * what is stored here. A run that was stopped half-way continues with what is left.
 * @throws AppError request_in_progress if secrets stay locked, or if a process without the newest key goes on storing secrets
 */
export async function rotateSecrets(ctx: Context): Promise<number> {
  let count = 0
  for (let pauses = 0; ; ) {
    const done = await sealBatch(ctx)
    count += done
    if (done > 0) continue
    // A batch leaves out what somebody else has locked.
    if (!(await hasOtherKeys(ctx))) return count
    if (++pauses > LOCKED_PAUSES_MAX)
      throw new AppError('request_in_progress', {
        message: `${count} secrets of the ${ctx.world} world were sealed anew. Others are still sealed under an older key, because they are locked or a running process does not know the newest key. Keep the older keys, restart every process with the newest key in front, and run this again.`,
      })
    await sleep(LOCKED_PAUSE_MS)
  }
}

function sealBatch(ctx: Context): Promise<number> {
  return inTransaction(ctx.db, async (tx) => {
    const records = await lockSecretsOfOtherKeys(tx, ctx.vault.keyId, BATCH)
    for (const record of records) {
      const place = [ctx.world, record.merchantId, record.id] as const
      const text = ctx.vault.open(record, place)
      await resealWebhookSecret(tx, { ...record, ...ctx.vault.seal(text, place) })
    }
    return records.length
  })
}

async function hasOtherKeys({ db, vault }: Context): Promise<boolean> {
  return (await listSealingKeys(db)).some(({ keyId }) => keyId !== vault.keyId)
}
