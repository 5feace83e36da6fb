/** Origins: exact, serialised, compared byte for byte. Nothing is folded, no wildcard is known. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  approveOrigin as approveOriginRecord,
  deleteOrigin,
  hasOrigin,
  insertOrigin,
  listOrigins as listOriginRecords,
  type OriginRecord,
} from '../storage/merchants/origins.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { spellOrigin } from './origin-spelling.ts'

export type { OriginRecord } from '../storage/merchants/origins.ts'

/**
 * Checks that a text is a serialised origin, exactly as a browser sends it.
 * @throws AppError validation_failed naming the spelling that a browser would send.
 */
export function parseOrigin(text: string): string {
  // An asterisk is a letter like any other to a URL; whoever writes one means a pattern, and patterns are not known.
  const origin = text.includes('*') ? null : spellOrigin(text).origin
  if (origin === text) return text
  const meant = origin ? ` Write ${origin}` : ' Write it as https://shop.example'
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
  return (await listOriginReviews(ctx, merchantId)).map(({ origin }) => origin)
}

/** The same with what became of each domain's review. */
export async function listOriginReviews(ctx: Context, merchantId: string): Promise<OriginRecord[]> {
  await getMerchant(ctx, merchantId)
  return listOriginRecords(ctx.db, merchantId)
}

/**
 * Notes that an operator reviewed the domain behind an origin: it is the merchant's own, and sells what it says. An origin
 * that was not trusted before is so from now on.
 */
export async function approveOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await approveOriginRecord(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/** @throws AppError validation_failed when the merchant does not trust exactly this origin; not_found for no such merchant */
export async function removeOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  if (await deleteOrigin(ctx.db, merchantId, origin)) return
  const trusted = (await listOrigins(ctx, merchantId)).join(', ') || 'none'
  throw new AppError('validation_failed', {
    message: `"${origin}" is not one of the merchant's trusted origins: ${trusted}.`,
  })
}

/** Whether the merchant trusts this origin for calls to /v1; up to a second old. */
export const isOriginTrusted = cached((ctx: Context, merchantId: string, origin: string) =>
  hasOrigin(ctx.db, merchantId, origin),
)
