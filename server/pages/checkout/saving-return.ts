import { cost } from '../../limits/cost.ts'
import { returnFromSaving } from '../../payments/saved-methods/question.ts'
import { findBrand } from '../brand/brand.ts'
import { messagePage } from '../message-page.ts'
import type { PageEndpoint } from '../page-endpoint.ts'

const KINDS = {
  pending: 'token_pending',
  active: 'token_active',
  cancelled: 'token_none',
  failed: 'token_none',
  revoked: 'token_revoked',
} as const

/**
 * Our own return address. It asks the provider first, and then redirects the browser to the merchant, who may have given no
 * address.
 */
export const savingReturn: PageEndpoint = {
  method: 'get',
  path: '/payment-method-tokens/:tokenId/return',
  stranger: { body: 0, once: cost(6, { provider: 1, rows: 1 }), flood: cost(3) },
  // The same as for the return of a payment.
  limited: 'return',
  async handle(ctx, { locale, localeLinks, params }) {
    const back = await returnFromSaving(ctx, params.tokenId ?? '')
    if (!back) return { kind: 'not_found' }
    if (back.url) return { kind: 'redirect', url: back.url }
    const kind = KINDS[back.token.status]
    const brand = await findBrand(ctx, back.token.merchantId, locale)
    return { kind: 'page', html: messagePage({ locale, localeLinks, mode: ctx.world, kind, brand }) }
  },
}
