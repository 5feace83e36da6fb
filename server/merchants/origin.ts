/**
 * Origins of a merchant: serialised, compared byte for byte, without wildcards. Two facts about an origin are independent: calls to
 * /v1 may carry it, and an operator has reviewed its domain.
 */
import type { Context } from '../context.ts'
import { AppError, type NextAct, type Reason } from '../errors.ts'
import type { InstallationRecord } from '../storage/merchants/installations.ts'
import {
  deleteDomainReview,
  deleteOrigin,
  hasOrigin,
  insertDomainReview,
  insertOrigin,
  listOrigins as listOriginRecords,
  type OriginRecord,
} from '../storage/merchants/origins.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { asBrowsersSend, spellOrigin } from './origin-spelling.ts'

export type { OriginRecord }

/**
 * Returns the text if it is a serialised origin, exactly as a browser sends it, and the origin if the text has its host in its own script.
 * @throws AppError validation_failed that names the right spelling
 */
export function parseOrigin(given: string): string {
  const text = asBrowsersSend(given)
  // A URL may contain an asterisk, but here it stands for a pattern, and patterns are not supported.
  const origin = text.includes('*') ? null : spellOrigin(text).origin
  if (origin === text) return text
  const advice = origin ? `Write ${origin}` : 'Write it as https://shop.example'
  throw new AppError('validation_failed', {
    reason: 'origin_wrong',
    message: `"${text}" is not an exact origin (scheme, host, and port only if it is not the default). ${advice}`,
  })
}

/** Allows an origin for calls to /v1. Adding it again changes nothing. */
export async function addOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await insertOrigin(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/** Returns the origins that the merchant's calls to /v1 may carry, in the order in which they were added. */
export async function listTrustedOrigins(ctx: Context, merchantId: string): Promise<string[]> {
  const all = await listOrigins(ctx, merchantId)
  return all.filter(({ trustedAt }) => trustedAt).map(({ origin }) => origin)
}

/** Returns the origins whose domains are approved, the first approved one first. */
export async function listApprovedOrigins(ctx: Context, merchantId: string): Promise<string[]> {
  return (await listApproved(ctx, merchantId)).filter((each) => !isPage(each))
}

/** Returns every approved origin and public page. */
export async function listApproved(ctx: Context, merchantId: string): Promise<string[]> {
  const all = await listOrigins(ctx, merchantId)
  return all.filter(({ approvedAt }) => approvedAt).map(({ origin }) => origin)
}

/** Pages are stored beside origins. A page has a path, and an origin has none. */
export const isPage = (address: string) => new URL(address).origin !== address

/** Returns every origin of the merchant with both facts about it. @throws AppError not_found */
export async function listOrigins(ctx: Context, merchantId: string): Promise<OriginRecord[]> {
  await getMerchant(ctx, merchantId)
  return listOriginRecords(ctx.db, merchantId)
}

/**
 * Stores that an operator has reviewed the domain of an origin: the domain is the merchant's, and its pages sell what the
 * merchant said.
 */
export async function approveOrigin(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await insertDomainReview(ctx.db, merchantId, parseOrigin(origin), ctx.clock.now())
}

/**
 * Takes the approval back. Public keys that were issued stay valid. @throws AppError validation_failed if the domain of exactly this
 * origin is not approved; not_found for an unknown merchant
 */
export async function disapproveOrigin(ctx: Context, merchantId: string, given: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  const origin = asBrowsersSend(given)
  if (await deleteDomainReview(ctx.db, merchantId, origin)) return
  const approved = (await listApprovedOrigins(ctx, merchantId)).join(', ') || 'none'
  throw new AppError('validation_failed', {
    reason: 'origin_not_listed',
    about: { origin },
    message: `"${origin}" is not one of the merchant's approved origins: ${approved}.`,
  })
}

/**
 * Rejects origins that a live public key must not work on. @throws AppError validation_failed for an origin without https, and for
 * one whose domain is not approved
 */
export async function expectReviewed(
  ctx: Context,
  merchantId: string,
  origins: readonly string[],
): Promise<void> {
  const plain = origins.find((origin) => !origin.startsWith('https://'))
  if (plain)
    throw new AppError('validation_failed', {
      reason: 'origin_wrong',
      message: `"${plain}" is not an https origin. In the live world a public key works only on https pages. Serve the pages over https, and give ${plain.replace('http:', 'https:')}.`,
    })
  const approved = await listApprovedOrigins(ctx, merchantId)
  const open = origins.filter((origin) => !approved.includes(origin))
  if (open.length > 0)
    throw new AppError('validation_failed', {
      reason: 'not_reviewed',
      message: `The domain of ${open.join(' and of ')} is not reviewed. In the live world every origin of a public key needs its own review.`,
      next: open.map((origin) => ({ act: 'approve_origin', merchantId, origin })),
    })
}

/** @throws AppError validation_failed if exactly this origin is not allowed; not_found for an unknown merchant */
export async function removeOrigin(ctx: Context, merchantId: string, given: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  const origin = asBrowsersSend(given)
  if (await deleteOrigin(ctx.db, merchantId, origin)) return
  const allowed = (await listTrustedOrigins(ctx, merchantId)).join(', ') || 'none'
  throw new AppError('validation_failed', {
    reason: 'origin_not_listed',
    about: { origin },
    message: `"${origin}" is not one of the merchant's allowed origins: ${allowed}.`,
  })
}

/** The longest scheme, host name and port have 271 characters. */
export const ORIGIN_MAX_CHARS = 300

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

type InstallationOrigins = Pick<InstallationRecord, 'id' | 'origins' | 'returnUrl'>

/** @throws AppError validation_failed for an origin that is not allowed, and for that of the return URL */
export function expectRemovable({ origins, returnUrl }: InstallationOrigins, origin: string): void {
  if (!origins.includes(origin))
    throw cannotRemove(
      'origin_not_listed',
      origin,
      `is not one of the installation's origins: ${origins.join(', ')}.`,
    )
  if (returnUrl !== null && new URL(returnUrl).origin === origin)
    throw cannotRemove(
      'origin_is_return',
      origin,
      `stays, because buyers come back to ${returnUrl}. Create a new installation, and revoke this one.`,
    )
}

export function isLast({ id }: InstallationOrigins, origin: string): AppError {
  const why = "is the installation's last origin, so it stays. Revoke the installation instead."
  return cannotRemove('origin_last', origin, why, [{ act: 'revoke_installation', installationId: id }])
}

function cannotRemove(reason: Reason, origin: string, why: string, next: readonly NextAct[] = []): AppError {
  return new AppError('validation_failed', { reason, about: { origin }, message: `"${origin}" ${why}`, next })
}
