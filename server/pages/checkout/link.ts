import type { Context } from '../../context.ts'
import { cost } from '../../limits/cost.ts'
import type { Checkout } from '../../payments/creation/checkout.ts'
import { findLink, linkUrl } from '../../payments/creation/link.ts'
import { checkoutUrl } from '../../payments/view.ts'
import { type Brand, findBrand } from '../brand/brand.ts'
import type { PageEndpoint, Shown, Visit } from '../page-endpoint.ts'
import { controlOf } from './checkout.ts'
import { linkContent, linkPage } from './link-page.ts'
import { lookAgainAt, paymentView } from './payment-view.ts'

/** The hosted page of a payment link. Showing it changes nothing. */
export const link: PageEndpoint = {
  method: 'get',
  path: '/link/:linkId',
  stranger: { body: 0, once: cost(5), flood: cost(3) },
  async handle(ctx, visit) {
    const found = await findLink(ctx, visit.params.linkId ?? '')
    if (!found) return { kind: 'not_found' }
    const brand = await findBrand(ctx, found.payment.merchantId, visit.locale)
    return showLink(ctx, visit, found, brand)
  },
}

function showLink(ctx: Context, visit: Visit, found: Checkout, brand: Brand): Shown {
  const { payment } = found
  const page = checkoutUrl(ctx, payment.id)
  const control = controlOf(`${page}/continue`, visit, found)
  const isChoice = control.kind === 'choice' && !found.paidOtherwise
  // The buyer goes on to the provider directly. If the provider needs a form, or the order is already paid, this page only leads to the
  // checkout page, which then also asks for the e-mail address.
  const isDirect = control.kind === 'form' && Object.keys(control.fields).length === 0 && !found.paidOtherwise
  const isAsked = found.asksEmail && (isChoice || isDirect)
  const view = {
    ...paymentView(ctx, visit, found, brand),
    expiresAt: payment.expiresAt.toISOString(),
    paymentUrl: linkUrl(ctx, payment.id),
    checkoutUrl: `${page}${visit.chosenLocale}`,
    ...(isDirect && { action: control.action }),
    ...(isChoice && { choice: control }),
    ...(isAsked && { email: {} }),
  }
  const lookAgain = lookAgainAt(visit, linkContent(view))
  const html = linkPage({ ...view, ...(lookAgain && { lookAgain }) })
  return { kind: 'page', html, refresh: lookAgain?.next }
}
