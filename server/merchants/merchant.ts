/** Merchants: their name, and whether they take new payments. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  findMerchant,
  listMerchants as listMerchantRecords,
  type MerchantRecord,
  type MerchantState,
  updateMerchantName,
  updateMerchantState,
} from '../storage/merchants/merchants.ts'
import { cached } from './cache.ts'
import { checkLength, checkName } from './text.ts'

export type { MerchantRecord, MerchantState } from '../storage/merchants/merchants.ts'

/** @throws AppError not_found */
export async function getMerchant(ctx: Context, merchantId: string): Promise<MerchantRecord> {
  const merchant = await findMerchant(ctx.db, merchantId)
  if (!merchant) throw noSuchMerchant(merchantId)
  return merchant
}

/** Returns every merchant, oldest first. */
export async function listMerchants(ctx: Context): Promise<MerchantRecord[]> {
  return listMerchantRecords(ctx.db)
}

/** Returns the merchant, up to a second old; null if there is none. */
export const findMerchantCached = cached((ctx: Context, merchantId: string) =>
  findMerchant(ctx.db, merchantId),
)

/** The error for an unknown merchant. */
export function noSuchMerchant(merchantId: string): AppError {
  return new AppError('not_found', {
    message: `There is no merchant ${merchantId}.`,
    next: [{ act: 'list_merchants' }],
  })
}

export const MERCHANT_NAME_MAX_CHARS = 120

/** From now on the buyer's pages show this name. @throws AppError validation_failed, not_found */
export async function renameMerchant(
  ctx: Context,
  merchantId: string,
  name: string,
): Promise<MerchantRecord> {
  const trimmed = name.trim()
  checkName('name', trimmed, MERCHANT_NAME_MAX_CHARS)
  if (!(await updateMerchantName(ctx.db, merchantId, trimmed))) throw noSuchMerchant(merchantId)
  return getMerchant(ctx, merchantId)
}

export const WHY_MAX_CHARS = 240

/**
 * Stops the new payments of a merchant, or lets them begin again. Each process notices within a second. A repetition changes only `why`.
 * @throws AppError not_found; validation_failed for a merchant that is closed and should be paused
 */
export async function setMerchantState(
  ctx: Context,
  id: string,
  { state, why = null }: { state: MerchantState; why?: string | null },
): Promise<{ before: MerchantRecord; after: MerchantRecord }> {
  if (why !== null) checkLength('why', why, WHY_MAX_CHARS)
  const before = await getMerchant(ctx, id)
  if (before.state === 'closed' && state === 'paused')
    throw new AppError('validation_failed', {
      reason: 'merchant_closed',
      message: `${before.name} is closed, so it takes no new payments already. Resume it first if it should only be paused.`,
    })
  await updateMerchantState(ctx.db, id, { state, at: state === 'open' ? null : ctx.clock.now(), why })
  return { before, after: await getMerchant(ctx, id) }
}
