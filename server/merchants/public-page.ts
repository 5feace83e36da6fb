/**
 * Addresses of a shop that buyers see. A shop without a site has a public page, which is reviewed in place of a domain and stored
 * beside the domains.
 */
import type { Context } from '../context.ts'
import { STORED_URL_MAX_CHARS } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { insertDomainReview } from '../storage/merchants/origins.ts'
import { getMerchant } from './merchant.ts'
import { isPage, listApproved } from './origin.ts'

/** Returns the approved public pages: what is reviewed of a shop that has no site of its own. */
export async function listApprovedPages(ctx: Context, merchantId: string): Promise<string[]> {
  return (await listApproved(ctx, merchantId)).filter(isPage)
}

const PAGE_MAX_CHARS = 500

/** Returns the address as it is stored. @throws AppError validation_failed for what is no https address of a page */
export function parsePage(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url?.protocol === 'https:' && !url.username && !url.password
  if (isWeb && url.href.length <= PAGE_MAX_CHARS) return url.href
  throw new AppError('validation_failed', {
    reason: 'page_wrong',
    message: `"${text}" is not the address of a public page. Give an https address such as https://social.example/potter.`,
  })
}

/** Stores that an operator has looked at the public page of a shop, and that it is the merchant's. */
export async function approvePage(ctx: Context, merchantId: string, page: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  await insertDomainReview(ctx.db, merchantId, parsePage(page), ctx.clock.now())
}

/** @throws AppError validation_failed for a page that is not approved */
export async function expectPageReviewed(ctx: Context, merchantId: string, page: string): Promise<void> {
  if ((await listApprovedPages(ctx, merchantId)).includes(page)) return
  throw new AppError('validation_failed', {
    reason: 'not_reviewed',
    message: `The page ${page} is not reviewed. In the live world somebody who runs this service looks at it first.`,
    next: [{ act: 'approve_page', merchantId, page }],
  })
}

/**
 * Returns the page of an installation without origins. Its public key works only on our own pay page, so a shop needs no site.
 * @throws AppError validation_failed
 */
export function pageOf({
  page,
  returnUrl,
}: {
  page?: string | undefined
  returnUrl?: string | undefined
}): string {
  if (page === undefined)
    throw new AppError('validation_failed', {
      reason: 'origin_none',
      message:
        'An installation needs at least one origin, such as https://shop.example. A shop that sells by links and posters alone gives its public page instead.',
    })
  if (returnUrl !== undefined)
    throw new AppError('validation_failed', {
      reason: 'return_without_origin',
      message: 'Without an origin there is no return URL. Buyers stay on the page of their payment.',
    })
  return parsePage(page)
}

/** Any site is accepted, because a button may be on another site than the shop. */
export function checkShopUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null
  const isWeb = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (isWeb && url.href.length <= STORED_URL_MAX_CHARS) return url.href
  throw new AppError('validation_failed', {
    reason: 'shop_url_wrong',
    message: `"${given}" is not an address of the shop. Give an address such as https://shop.example/tea.`,
  })
}
