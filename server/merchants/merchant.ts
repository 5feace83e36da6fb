/** Merchants. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  findMerchant,
  listMerchants as listMerchantRecords,
  type MerchantRecord,
  updateMerchantName,
} from '../storage/merchants/merchants.ts'
import { cached } from './cache.ts'
import { checkName } from './text.ts'

export type { MerchantRecord } from '../storage/merchants/merchants.ts'

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
