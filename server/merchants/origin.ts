/** Origins: exact, serialised, compared byte for byte. Nothing is folded, no wildcard is known. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  deleteOrigin,
  hasOrigin,
  insertOrigin,
  listOrigins as listOriginRecords,
} from '../storage/origins.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'

/**
 * Checks that a text is a serialised origin, exactly as a browser sends it.
 * @throws AppError validation_failed naming the spelling that a browser would send.
 */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text
  const meant =
    url && /^https?:$/.test(url.protocol) ? ` Write ${url.origin}` : ' Write it as https://shop.example'
  throw new AppError('validation_failed', {
    message: `"${text}" is not an exact origin (scheme, host, and port only if it is not the default).${meant}`,
  })
}

/** Trusts an origin for calls to /v1. Adding it again changes nothing. */
export async function addOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await insertOrigin(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/** The origins that the merchant trusts, in the order they were added. */
export async function listOrigins(ctx: Context, merchantId: string): Promise<string[]> {
  await getMerchant(ctx, merchantId)
  return listOriginRecords(ctx.db, merchantId)
}

/** @throws AppError validation_failed when the merchant does not trust exactly this origin, or no such merchant. */
export async function removeOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  if (await deleteOrigin(ctx.db, merchantId, origin)) return
  const trusted = (await listOriginRecords(ctx.db, merchantId)).join(', ') || 'none'
  throw new AppError('validation_failed', {
    message: `"${origin}" is not one of the merchant's trusted origins: ${trusted}.`,
  })
}

/** Whether the merchant trusts this origin for calls to /v1; up to a second old. */
export const isOriginTrusted = cached((ctx: Context, merchantId: string, origin: string) =>
  hasOrigin(ctx.db, merchantId, origin),
)
