/** Creates a merchant and the secret that signs its events. */
import type { Context } from '../context.ts'
import { STORED_URL_MAX_CHARS } from '../contract/fields.ts'
import { newMerchantId } from '../id.ts'
import { MERCHANT_NAME_MAX_CHARS } from '../merchants/merchant.ts'
import { checkLength, checkName } from '../merchants/text.ts'
import { addWebhookSecret } from '../receivers/secret.ts'
import { inTransaction } from '../storage/db.ts'
import { setReceiverUrl } from '../storage/events/receivers.ts'
import { insertMerchant } from '../storage/merchants/merchants.ts'

type MerchantInput = { name: string; callbackUrl?: string | undefined; hasSecret?: boolean }

/** @throws AppError validation_failed for an address that `callback set` would refuse */
export function checkNewCallback({ outbound }: Context, callbackUrl: string): void {
  checkLength('callbackUrl', callbackUrl, STORED_URL_MAX_CHARS)
  outbound.checkUrl(callbackUrl)
}

/** Creates a merchant with a first webhook secret. @throws AppError validation_failed */
export async function createMerchant(
  ctx: Context,
  wish: MerchantInput & { hasSecret?: true },
): Promise<{ merchantId: string; webhookSecret: string }>
export async function createMerchant(
  ctx: Context,
  wish: MerchantInput,
): Promise<{ merchantId: string; webhookSecret: string | null }>
export async function createMerchant(
  ctx: Context,
  { name, callbackUrl, hasSecret = true }: MerchantInput,
): Promise<{ merchantId: string; webhookSecret: string | null }> {
  const createdAt = ctx.clock.now()
  const id = newMerchantId(createdAt)
  checkName('name', name, MERCHANT_NAME_MAX_CHARS)
  if (callbackUrl !== undefined) checkNewCallback(ctx, callbackUrl)
  return inTransaction(ctx.db, async (tx) => {
    await insertMerchant(tx, { id, name, createdAt })
    if (callbackUrl !== undefined) await setReceiverUrl(tx, id, callbackUrl)
    return { merchantId: id, webhookSecret: hasSecret ? await addWebhookSecret(ctx, tx, id) : null }
  })
}
