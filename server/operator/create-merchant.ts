/** Creates a merchant and the secret that signs its events. */
import type { Context } from '../context.ts'
import { newMerchantId } from '../id.ts'
import { checkName } from '../merchants/text.ts'
import { addWebhookSecret } from '../receivers/secret.ts'
import { inTransaction } from '../storage/db.ts'
import { setReceiverUrl } from '../storage/events/receivers.ts'
import { insertMerchant } from '../storage/merchants/merchants.ts'

const NAME_MAX_CHARS = 120

/** Creates a merchant with a first webhook secret. @throws AppError validation_failed */
export async function createMerchant(
  ctx: Context,
  { name, callbackUrl }: { name: string; callbackUrl?: string | undefined },
): Promise<{ merchantId: string; webhookSecret: string }> {
  const createdAt = ctx.clock.now()
  const id = newMerchantId(createdAt)
  checkName('name', name, NAME_MAX_CHARS)
  if (callbackUrl !== undefined) ctx.outbound.checkUrl(callbackUrl)
  return inTransaction(ctx.db, async (tx) => {
    await insertMerchant(tx, { id, name, createdAt })
    if (callbackUrl !== undefined) await setReceiverUrl(tx, id, callbackUrl)
    return { merchantId: id, webhookSecret: await addWebhookSecret(ctx, tx, id) }
  })
}
