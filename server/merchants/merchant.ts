/** Merchants. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  findMerchant,
  listMerchants as listMerchantRecords,
  type MerchantRecord,
} from '../storage/merchants/merchants.ts'
import { cached } from './cache.ts'

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
