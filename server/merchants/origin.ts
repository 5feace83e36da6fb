/** Origins for calls to /v1: serialised origins, compared byte for byte, without wildcards. */
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
 * Returns the text if it is a serialised origin, exactly as a browser sends it.
 * @throws AppError validation_failed that names the right spelling
 */
export function parseOrigin(text: string): string {
  // A URL may contain an asterisk, but here it stands for a pattern, and patterns are not supported.
  const origin = text.includes('*') ? null : spellOrigin(text).origin
  if (origin === text) return text
  const advice = origin ? `Write ${origin}` : 'Write it as https://shop.example'
  throw new AppError('validation_failed', {
    message: `"${text}" is not an exact origin (scheme, host, and port only if it is not the default). ${advice}`,
  })
}

/** Allows an origin for calls to /v1. Adding it again changes nothing. */
export async function addOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await insertOrigin(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/** Returns the merchant's allowed origins, in the order in which they were added. */
export async function listOrigins(ctx: Context, merchantId: string): Promise<string[]> {
  return (await listOriginReviews(ctx, merchantId)).map(({ origin }) => origin)
}

/** Returns the same origins with the review of each domain. */
export async function listOriginReviews(ctx: Context, merchantId: string): Promise<OriginRecord[]> {
  await getMerchant(ctx, merchantId)
  return listOriginRecords(ctx.db, merchantId)
}

/**
 * Records that an operator has reviewed the domain of an origin: the merchant owns it, and sells there what it says. An origin
 * that was not allowed before is allowed from now on.
 */
export async function approveOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await approveOriginRecord(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/** @throws AppError validation_failed if exactly this origin is not allowed; not_found for an unknown merchant */
export async function removeOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  if (await deleteOrigin(ctx.db, merchantId, origin)) return
  const allowed = (await listOrigins(ctx, merchantId)).join(', ') || 'none'
  throw new AppError('validation_failed', {
    message: `"${origin}" is not one of the merchant's allowed origins: ${allowed}.`,
  })
}

/** The longest scheme, host name and port have 271 characters. */
const ORIGIN_MAX_CHARS = 300

/** Whether a caller's Origin header can be an origin at all. A longer text is neither looked up nor kept in a cache. */
export function isPossibleOrigin(origin: string): boolean {
  return origin.length <= ORIGIN_MAX_CHARS
}

const findOrigin = cached((ctx: Context, merchantId: string, origin: string) =>
  hasOrigin(ctx.db, merchantId, origin),
)

/** Whether this origin is allowed for calls to /v1. The answer is up to a second old. */
export async function isOriginTrusted(ctx: Context, merchantId: string, origin: string): Promise<boolean> {
  return isPossibleOrigin(origin) && findOrigin(ctx, merchantId, origin)
}
