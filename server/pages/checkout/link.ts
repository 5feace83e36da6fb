/** The hosted page of a payment link. */
import type { Context } from '../../context.ts'
import { cost } from '../../limits/cost.ts'
import { translate } from '../../messages/translate.ts'
import type { Checkout } from '../../payments/creation/checkout.ts'
import { findLink, linkUrl } from '../../payments/creation/link.ts'
import { checkoutUrl } from '../../payments/view.ts'
import { type Brand, findBrand } from '../brand/brand.ts'
import { html, type Markup } from '../html.ts'
import type { PageEndpoint, Shown, Visit } from '../page-endpoint.ts'
import { webAddress } from '../web-address.ts'
import { controlOf } from './checkout.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { emailField } from './email-field.ts'
import { closedContent, isWarning, otherPayment, warningContent } from './paid-otherwise.ts'
import { amountOf, note } from './payment-frame.ts'
import { lookAgainAt, paymentView } from './payment-view.ts'
import { isEnd, isOpen, type StateView, statePage, waysOn } from './state-page.ts'
import {
  manualContent,
  OVER,
  STATUS_CONTENT,
  type StatusContent,
  TRANSFER,
  tryAgainContent,
  underWayContent,
} from './status-content.ts'
import { transferPart } from './transfer-part.ts'

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
  const asksEmail = found.asksEmail && (isChoice || isDirect)
  const view = {
    ...paymentView(ctx, visit, found, brand),
    expiresAt: payment.expiresAt.toISOString(),
    paymentUrl: linkUrl(ctx, payment.id),
    checkoutUrl: `${page}${visit.chosenLocale}`,
    ...(isDirect && { action: control.action }),
    ...(isChoice && { choice: control }),
    ...(asksEmail && { email: {} }),
  }
  const lookAgain = lookAgainAt(visit, linkContent(view))
  const html = linkPage({ ...view, ...(lookAgain && { lookAgain }) })
  return { kind: 'page', html, refresh: lookAgain?.next }
}

export type LinkView = StateView &
  Required<Pick<StateView, 'status' | 'isOver' | 'isManual'>> & {
    /** The page's own address, for its QR code. */
    paymentUrl: string
    /** The checkout page of this payment. */
    checkoutUrl: string
    /** Where the control posts to. Without it, the control leads to the checkout page. */
    action?: string
    /** Present if the buyer chooses the route first. */
    choice?: ChoiceControl
  }

/**
 * The page of a payment link. It asks for money only until somebody begins to pay. After that it shows the payment's status,
 * and a buyer who was interrupted can go on with the same payment.
 */
export function linkPage(view: LinkView): string {
  const content = linkContent(view)
  const isWarned = isWarning(content)
  const ways = waysOn(view, content, isEnd(content), onward(view, content))
  const action = [
    isWarned ? ways : null,
    isWarned ? otherPayment(view) : null,
    content === TRANSFER ? transferPart(view, view.transfer) : null,
    control(view, content),
    isOpen(content) ? note(view, content) : isWarned ? null : ways,
  ]
  return statePage(view, content, { testId: 'link', action, ways, address: view.paymentUrl })
}

export function linkContent(
  view: Pick<
    LinkView,
    | 'status'
    | 'isOver'
    | 'isManual'
    | 'transfer'
    | 'isUnderWay'
    | 'approvalStands'
    | 'isCancelledByShop'
    | 'waitsElsewhere'
    | 'ended'
    | 'declineCategory'
    | 'paidOtherwise'
  >,
): StatusContent {
  if (view.isUnderWay) return underWayContent(view)
  const content: StatusContent = STATUS_CONTENT[view.status]
  if (content.control === undefined) return closedContent(view)
  if (view.isManual) return manualContent(view.transfer)
  if (view.isOver) return OVER
  if (view.paidOtherwise) return warningContent(view.paidOtherwise)
  return view.ended ? tryAgainContent(view.ended) : content
}

const isTryAgain = (content: StatusContent) => content.control === 'pages.tryAgain'

function control(view: LinkView, content: StatusContent): Markup {
  const url = webAddress(view.action ?? view.checkoutUrl)
  if ((!isOpen(content) && !isTryAgain(content)) || content.control === undefined || url === undefined)
    return null
  if (view.choice) return choiceForm(view.locale, view.choice, view.email)
  const label = translate(view.locale, content.control, { amount: amountOf(view) })
  if (!view.action) return html`<a class="button" href=${url} data-testid="pay">${label}</a>`
  return html`<form method="post" action=${url}>
    ${emailField(view.locale, view.email)}
    <button class="button" type="submit" data-testid="pay">${label}</button>
  </form>`
}

/** The way to the checkout page, where a buyer who was interrupted goes on. */
function onward(view: LinkView, content: StatusContent): Markup {
  if (isOpen(content) || isTryAgain(content) || content.control === undefined) return null
  const url = webAddress(view.checkoutUrl)
  return url
    ? html`<a class="way" href=${url} data-testid="continue">${translate(view.locale, content.control, { amount: amountOf(view) })}</a>`
    : null
}
