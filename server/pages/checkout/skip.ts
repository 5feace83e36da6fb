/**
 * The way past our own page, from a button to the provider.
 * Rules: this opens no order and writes nothing. It only leads on to the order that the button's own request has opened. Our page is
 * shown whenever it has something to ask or to say, and for every visit that does not come from a press of the button.
 */
import type { Context } from '../../context.ts'
import { forgetEarlierTry } from '../../payments/attempts/visit.ts'
import { BUTTON_MARK, isFromButton } from '../../payments/creation/button-mark.ts'
import type { Checkout } from '../../payments/creation/checkout.ts'
import { saleOf } from '../../payments/creation/pay-page.ts'
import { findBrand } from '../brand/brand.ts'
import { begun, findEarlier, leaving, paying } from '../buyer-cookies.ts'
import { linksTo, type Shown, type Visit } from '../page-endpoint.ts'

/** Takes the mark out of a visit, so that no link of our page has it. */
export function withoutMark(visit: Visit): Visit {
  const { [BUTTON_MARK]: _, ...query } = visit.query
  return { ...visit, query, localeLinks: linksTo(visit.path, query) }
}

/** Returns null if our page has to be shown. */
export async function skipPage(ctx: Context, visit: Visit, found: Checkout): Promise<Shown | null> {
  const { payment } = found
  const { checkoutUrl } = payment.attempt
  const mark = visit.query[BUTTON_MARK]
  if (mark === undefined || !visit.isLedHere || checkoutUrl === null) return null
  if (!isFromButton(ctx, payment, mark, visit.referrer) || needsPage(found)) return null
  const sale = saleOf(payment)
  const [brand, earlier] = await Promise.all([
    findBrand(ctx, payment.merchantId, visit.locale),
    findEarlier(ctx, visit, sale, payment.id),
  ])
  // Buyers have to be able to read the terms of sale before they pay.
  if (brand.termsUrl || earlier) return null
  await forgetEarlierTry(ctx, payment)
  const cookies = [leaving(ctx), paying(payment.id), ...(sale ? [begun(sale, payment.id)] : [])]
  return { kind: 'redirect', url: checkoutUrl, cookies, about: { paymentId: payment.id } }
}

/** Only the first order of a payment can be skipped to: after it, the page says how it ended. */
function needsPage(found: Checkout): boolean {
  const { payment, canGoOn, ended, choices, paidOtherwise, hasNoRoute, asksEmail, asks, transfer } = found
  const { number, state, form } = payment.attempt
  const isOpened = canGoOn && number === 1 && state === 'open' && form === null
  const asksNothing = choices.length === 0 && !asksEmail && Object.keys(asks).length === 0
  return (
    !isOpened || !asksNothing || ended !== null || paidOtherwise !== null || hasNoRoute || transfer !== null
  )
}
