import type { Mode } from '../../contract/health.ts'
import type { Ended } from '../../payments/creation/checkout.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { qrFigure } from '../qr-code.ts'
import { webAddress } from '../web-address.ts'
import { say } from '../words/messages.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { type AskedEmail, emailField } from './email-field.ts'
import { type LookAgain, lookingAgain } from './look-again.ts'
import {
  closedContent,
  isWarning,
  otherPayment,
  type PaidOtherwise,
  warningContent,
} from './paid-otherwise.ts'
import { amountOf, note, type PaymentFacts, previewOf, slip, wayBack, wayToReceipt } from './payment-frame.ts'
import {
  manualContent,
  OVER,
  PROCESSING,
  STATUS_CONTENT,
  type StatusContent,
  TRANSFER,
  tryAgainContent,
} from './status-content.ts'
import { type ShownTransfer, transferPart } from './transfer-part.ts'

export type LinkView = Required<Pick<PaymentFacts, 'status'>> &
  PaymentFacts & {
    mode: Mode
    /** The page's own address, for its QR code. */
    paymentUrl: string
    /** The checkout page of this payment. */
    checkoutUrl: string
    /** Where the control posts to. Without it, the control leads to the checkout page. */
    action?: string
    /** Present if the buyer chooses the route first. */
    choice?: ChoiceControl
    /** The link's time has passed, although the provider has not closed the payment yet. */
    isOver: boolean
    /** The buyer has finished, and the provider is still working. */
    isUnderWay?: boolean
    /** A person confirms the money, so there is no control. */
    isManual: boolean
    /** What the buyer needs for a bank transfer. */
    transfer?: ShownTransfer | null
    /** How the last attempt ended without money. Present if another attempt can be opened. */
    ended?: Ended | null
    /** Why the last attempt was declined, if the provider tells it. */
    declineCategory?: Ended['declineCategory']
    /** Another payment has paid this order, or may have paid it. */
    paidOtherwise?: PaidOtherwise
    /** Present if the page asks for the buyer's e-mail address. */
    email?: AskedEmail | undefined
    lookAgain?: LookAgain
    returnUrl?: string
    localeLinks?: LocaleLinks
  }

/**
 * The page of a payment link. It asks for money only until somebody begins to pay. After that it shows the payment's status,
 * and a buyer who was interrupted can go on with the same payment.
 */
export function linkPage(view: LinkView): string {
  const content = linkContent(view)
  const { locale, mode, merchantName } = view
  const isWarned = isWarning(content)
  const action = [
    isWarned ? ways(view, content) : null,
    isWarned ? otherPayment(view) : null,
    content === TRANSFER ? transferPart(view, view.transfer) : null,
    control(view, content),
    isOpen(content) ? note(view, content) : isWarned ? null : ways(view, content),
  ]
  const below = [
    isWarned ? null : otherPayment(view),
    isOpen(content) ? ways(view, content) : null,
    isOpen(content) ? qrFigure(view.paymentUrl, locale) : null,
  ]
  return renderPage({
    locale,
    mode,
    title: `${say(locale, content.title)} · ${merchantName}`,
    preview: previewOf(view),
    brand: view.brand,
    body: slip(view, content, { testId: 'link', action, below }),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

export function linkContent(
  view: Pick<
    LinkView,
    | 'status'
    | 'isOver'
    | 'isManual'
    | 'transfer'
    | 'isUnderWay'
    | 'ended'
    | 'declineCategory'
    | 'paidOtherwise'
  >,
): StatusContent {
  if (view.isUnderWay) return PROCESSING
  const content: StatusContent = STATUS_CONTENT[view.status]
  if (content.control === undefined) return closedContent(view)
  if (view.isManual) return manualContent(view.transfer)
  if (view.isOver) return OVER
  if (view.paidOtherwise) return warningContent(view.paidOtherwise)
  return view.ended ? tryAgainContent(view.ended) : content
}

/** Open: the buyer has not been sent to the provider yet. */
const isOpen = (content: StatusContent) => content.tone === 'open'

const isTryAgain = (content: StatusContent) => content.control === 'tryAgain'

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

function ways(view: LinkView, content: StatusContent): Markup {
  const { locale } = view
  const isEnd = content.control === undefined && content.mayChange === undefined
  const onward =
    isOpen(content) || isTryAgain(content) || content.control === undefined
      ? undefined
      : webAddress(view.checkoutUrl)
  return html`<div class="ways">
    ${content.mayChange && view.lookAgain ? lookingAgain(locale, view.lookAgain) : null}
    ${onward && content.control ? html`<a class="way" href=${onward} data-testid="continue">${say(locale, content.control)}</a>` : null}
    ${wayBack(locale, view.returnUrl, isEnd)}
    ${wayToReceipt(locale, view.receiptAddress)}
  </div>`
}
