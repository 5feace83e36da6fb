/**
 * A shop asks for the review of its site or public page, and somebody who runs the service approves or refuses it.
 * Rule: only a request that waits can be refused. An approval stands until it is taken back.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { listApproved } from '../../merchants/origin.ts'
import { spellOrigin } from '../../merchants/origin-spelling.ts'
import { parsePage } from '../../merchants/public-page.ts'
import {
  countDomainRequests,
  type DomainRequest,
  deleteDomainRequest,
  insertDomainRequest,
  listDomainRequests,
  listWaitingRequests,
  refuseDomainRequest,
} from '../../storage/merchants/domain-requests.ts'
import { expectWhy } from '../approvals/refusal.ts'

const REQUESTS_MAX = 20
const WAITING_MAX = 200

/**
 * Returns how an address is stored: the origin of a site, or a public page with its path. It may be typed as people write it.
 * @throws AppError validation_failed
 */
export function spellAddress(text: string): string {
  const typed = text.trim()
  const { origin, faults } = spellOrigin(typed)
  if (!origin?.startsWith('https://') || faults.includes('user') || !origin.includes('.'))
    throw new AppError('validation_failed', {
      reason: 'origin_wrong',
      message: `"${typed}" is not the https address of a site or of a public page, such as https://shop.example.`,
    })
  return faults.includes('path') ? parsePage(/^https:/i.test(typed) ? typed : `https://${typed}`) : origin
}

/** Asking again changes nothing, except after a refusal. Returns the address as it is stored. @throws AppError validation_failed, not_found */
export async function askReview(ctx: Context, merchantId: string, text: string): Promise<string> {
  await getMerchant(ctx, merchantId)
  const origin = spellAddress(text)
  if ((await listApproved(ctx, merchantId)).includes(origin)) return origin
  if ((await countDomainRequests(ctx.db, merchantId)) >= REQUESTS_MAX)
    throw new AppError('validation_failed', {
      reason: 'origin_wrong',
      message: `The merchant has asked for ${REQUESTS_MAX} addresses already. Withdraw one first.`,
    })
  await insertDomainRequest(ctx.db, { merchantId, origin }, ctx.clock.now())
  return origin
}

/** Ends a request. Doing it again changes nothing. @throws AppError not_found */
export async function withdrawReview(ctx: Context, merchantId: string, origin: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await deleteDomainRequest(ctx.db, { merchantId, origin })
}

/** `why`: what the shop reads. @throws AppError validation_failed if the address does not wait; not_found */
export async function refuseReview(
  ctx: Context,
  { merchantId, origin, why: text }: { merchantId: string; origin: string; why: string },
): Promise<void> {
  await getMerchant(ctx, merchantId)
  const why = expectWhy(text)
  if (await refuseDomainRequest(ctx.db, { merchantId, origin }, { at: ctx.clock.now(), why })) return
  throw new AppError('validation_failed', {
    reason: 'changed_meanwhile',
    message: `"${origin}" does not wait for a review.`,
  })
}

/** What a shop sees of each of its addresses. `at`: when it was asked for or refused. */
export type ShopAddress = {
  origin: string
  state: 'approved' | 'waiting' | 'refused'
  at: Date | null
  why: string | null
}

/** Returns approved addresses first, then what waits or was refused. @throws AppError not_found */
export async function listAddressesOf(ctx: Context, merchantId: string): Promise<ShopAddress[]> {
  const [approved, requests] = await Promise.all([
    listApproved(ctx, merchantId),
    listDomainRequests(ctx.db, merchantId),
  ])
  return [
    ...approved.map((origin) => ({ origin, state: 'approved' as const, at: null, why: null })),
    ...requests.map(({ origin, askedAt, refusedAt, refusedWhy }) => ({
      origin,
      why: refusedWhy,
      at: refusedAt ?? askedAt,
      state: refusedAt ? ('refused' as const) : ('waiting' as const),
    })),
  ]
}

/** `after`: the `next` of the page before; empty for the first page. `merchantId`: null for all merchants. */
export type ReviewPageRequest = { merchantId: string | null; after: string; limit: number }

/** Returns a page of what waits for a review, the oldest first. */
export async function listWaitingReviews(
  { db }: Context,
  { merchantId, after, limit }: ReviewPageRequest = { merchantId: null, after: '', limit: WAITING_MAX },
): Promise<{ requests: DomainRequest[]; next: string | null }> {
  // One extra request tells whether another page follows.
  const found = await listWaitingRequests(db, { merchantId, after: requestAt(after), limit: limit + 1 })
  const requests = found.slice(0, limit)
  const last = found.length > limit ? requests.at(-1) : undefined
  const next = last ? `${last.askedAt.toISOString()} ${last.merchantId} ${last.origin}` : null
  return { requests, next }
}

/** Returns null for the first page, and for what no page has given out. */
function requestAt(position: string): Pick<DomainRequest, 'askedAt' | 'merchantId' | 'origin'> | null {
  const [, time = '', merchantId = '', origin = ''] = /^(\S+) (\S+) (\S+)$/.exec(position) ?? []
  const askedAt = new Date(time)
  return Number.isNaN(askedAt.getTime()) ? null : { askedAt, merchantId, origin }
}
