/** Merchants: who is paid, and where their events go. */
import { type Context, newId } from '../context.ts'
import { AppError } from '../errors.ts'
import { addWebhookSecret } from '../receivers/secret.ts'
import { inTransaction } from '../storage/db.ts'
import { bringWaitingEventsForward } from '../storage/events/due-events.ts'
import { deleteEndpoint } from '../storage/events/receivers.ts'
import {
  findMerchant,
  insertMerchant,
  listMerchants as listMerchantRecords,
  type MerchantRecord,
  updateCallbackUrl,
} from '../storage/merchants/merchants.ts'
import { cached } from './cache.ts'
import { checkLength } from './text.ts'

const NAME_MAX_CHARS = 120

/** Creates a merchant with a first webhook secret. @throws AppError validation_failed */
export async function createMerchant(
  ctx: Context,
  { name, callbackUrl }: { name: string; callbackUrl?: string | undefined },
): Promise<{ merchantId: string; webhookSecret: string }> {
  const createdAt = ctx.clock.now()
  const id = newId('mer', createdAt)
  checkLength('name', name, NAME_MAX_CHARS)
  if (callbackUrl !== undefined) ctx.outbound.checkUrl(callbackUrl)
  return inTransaction(ctx.db, async (tx) => {
    await insertMerchant(tx, { id, name, callbackUrl: callbackUrl ?? null, createdAt })
    return { merchantId: id, webhookSecret: await addWebhookSecret(ctx, tx, id) }
  })
}

/** @throws AppError not_found */
export async function getMerchant(ctx: Context, merchantId: string): Promise<MerchantRecord> {
  const merchant = await findMerchant(ctx.db, merchantId)
  if (!merchant) throw noSuchMerchant(merchantId)
  return merchant
}

/** Every merchant, oldest first. */
export async function listMerchants(ctx: Context): Promise<MerchantRecord[]> {
  return listMerchantRecords(ctx.db)
}

/** The merchant's record, up to a second old. */
export const findMerchantCached = cached((ctx: Context, merchantId: string) =>
  findMerchant(ctx.db, merchantId),
)

/**
 * Sets where events go. What waits is sent there now, whatever became of the address before.
 * @throws AppError validation_failed for an address that is not allowed; not_found for no such merchant.
 */
export async function setCallback(ctx: Context, merchantId: string, callbackUrl: string): Promise<void> {
  ctx.outbound.checkUrl(callbackUrl)
  await inTransaction(ctx.db, async (tx) => {
    if (!(await updateCallbackUrl(tx, merchantId, callbackUrl))) throw noSuchMerchant(merchantId)
    await deleteEndpoint(tx, merchantId)
    await bringWaitingEventsForward(tx, merchantId, ctx.clock.now())
  })
}

function noSuchMerchant(merchantId: string): AppError {
  return new AppError('not_found', {
    message: `There is no merchant ${merchantId}.`,
    hint: 'List them: npm run -s admin -- merchant list',
  })
}
