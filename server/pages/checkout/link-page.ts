import { say } from '../../messages/say.ts'
import { html, type Markup } from '../html.ts'
import { webAddress } from '../web-address.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { emailField } from './email-field.ts'
import { closedContent, isWarning, otherPayment, warningContent } from './paid-otherwise.ts'
import { amountOf, note } from './payment-frame.ts'
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
  const label = say(view.locale, content.control, { amount: amountOf(view) })
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
    ? html`<a class="way" href=${url} data-testid="continue">${say(view.locale, content.control, { amount: amountOf(view) })}</a>`
    : null
}
