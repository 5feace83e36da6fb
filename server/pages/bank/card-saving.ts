import type { Context } from '../../context.ts'
import { returnFromSaving } from '../../payments/saved-methods/question.ts'
import { findBrand } from '../brand/brand.ts'
import { messagePage } from '../message-page.ts'
import type { PageEndpoint, Shown, Visit } from '../page-endpoint.ts'
import { addressIn } from './bank.ts'
import { CARD_SAVING_OUTCOMES, cardSavingPage, REMOVED } from './card-saving-page.ts'

/** A buyer arrives at the simulated bank to save a card. */
export const cardArrival: PageEndpoint = {
  method: 'get',
  path: '/sandbox/bank/cards/:customer/:reference',
  handle: (ctx, visit) => show(ctx, visit),
}

/** The buyer chooses a kind of card. The bank redirects the browser to the return address. */
export const cardChoice: PageEndpoint = {
  method: 'post',
  path: '/sandbox/bank/cards/:customer/:reference',
  async handle(ctx, visit) {
    if (visit.form.outcome === REMOVED) {
      await ctx.cards.giveUp(addressIn(visit), ctx.clock.now())
      return show(ctx, visit)
    }
    const outcome = CARD_SAVING_OUTCOMES.find((each) => each === visit.form.outcome)
    if (!outcome) return show(ctx, visit, 422)
    const card = await ctx.cards.choose(addressIn(visit), outcome, ctx.clock.now())
    return card ? { kind: 'redirect', url: card.returnUrl } : show(ctx, visit)
  },
}

async function show(ctx: Context, { locale, localeLinks, params }: Visit, status = 200): Promise<Shown> {
  const at = addressIn({ params })
  const { reference } = at
  const card = await ctx.cards.find(at)
  const merchantName = card?.merchantName ?? ''
  const state = card ? ctx.cards.stateOf(card, ctx.clock.now()) : 'unknown'
  const html = cardSavingPage({
    locale,
    localeLinks,
    merchantName,
    reference,
    state: state === 'open' || state === 'saved' || state === 'unknown' ? state : 'done',
    action: `/sandbox/bank/cards/${encodeURIComponent(at.customer)}/${encodeURIComponent(reference)}`,
  })
  return { kind: 'page', html, status: card ? status : 404 }
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
  // The same as for the return of a payment.
  limited: 'none',
  async handle(ctx, { locale, localeLinks, params }) {
    const back = await returnFromSaving(ctx, params.tokenId ?? '')
    if (!back) return { kind: 'not_found' }
    if (back.url) return { kind: 'redirect', url: back.url }
    const kind = KINDS[back.token.status]
    const brand = await findBrand(ctx, back.token.merchantId, locale)
    return { kind: 'page', html: messagePage({ locale, localeLinks, mode: ctx.world, kind, brand }) }
  },
}
