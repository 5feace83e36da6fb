/**
 * The return addresses that are no page of a payment. One is set up at a provider and is the same for every buyer: it finds the payment
 * by the cookie of the buyer's browser alone, because a person who could name an order here would find somebody else's payment. The other
 * one is for buyers who have saved a payment method.
 */
import { cost, FREE } from '../../limits/cost.ts'
import { returnFromSaving } from '../../payments/saved-methods/question.ts'
import { findBrand } from '../brand/brand.ts'
import { PAYING, PAYMENT_ID } from '../buyer-cookies.ts'
import { messagePage } from '../message-page.ts'
import type { PageEndpoint } from '../page-endpoint.ts'

const PATH = '/returns/:accountId'

export const fixedReturn: PageEndpoint = {
  method: 'get',
  path: PATH,
  stranger: { body: 0, once: FREE, flood: FREE },
  // The same as for the return of a payment.
  limited: 'return',
  async handle(_ctx, { cookies, chosenLocale }) {
    const paymentId = cookies[PAYING] ?? ''
    if (!PAYMENT_ID.test(paymentId)) return { kind: 'not_found' }
    return { kind: 'redirect', url: `/checkout/${paymentId}/return${chosenLocale}` }
  },
}

/** Some providers post. Browsers send no cookie of ours with a form of another site, but they do with the address that follows. */
export const fixedReturnForm: PageEndpoint = {
  ...fixedReturn,
  method: 'post',
  stranger: { body: 4_096, once: FREE, flood: FREE },
  handle: async (_ctx, { path }) => ({ kind: 'redirect', url: path }),
}

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
