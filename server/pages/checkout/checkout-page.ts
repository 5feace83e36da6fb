import type { Mode } from '../../contract/health.ts'
import type { Ended } from '../../payments/creation/checkout.ts'
import type { Earlier } from '../buyer-cookies.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { earlierNotice } from '../pay/earlier-notice.ts'
import { qrFigure } from '../qr-code.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { type MessageKey, say } from '../words/messages.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { type AskedEmail, emailAlert, emailField } from './email-field.ts'
import { type LookAgain, lookingAgain } from './look-again.ts'
import {
  closedContent,
  isWarning,
  otherPayment,
  type PaidOtherwise,
  warningContent,
} from './paid-otherwise.ts'
import { amountOf, note, type PaymentFacts, previewOf, slip, wayBack, wayToReceipt } from './payment-frame.ts'
import { type FormField, fieldInputs, fieldsAlert } from './product-fields.ts'
import {
  manualContent,
  OTHER_WAY,
  OVER,
  PROCESSING,
  STATUS_CONTENT,
  type StatusContent,
  TRANSFER,
  tryAgainContent,
  UNAVAILABLE,
} from './status-content.ts'
import { type ShownTransfer, transferPart } from './transfer-part.ts'

/**
 * How the buyer gets to the provider: by a form, because a link scanner follows links and would open an order. `none`: there is no
 * control (the manual route, or a closed payment).
 */
export type CheckoutControl =
  | { kind: 'form'; action: string; fields: Record<string, string> }
  | ChoiceControl
  | { kind: 'none' }

export type CheckoutView = PaymentFacts & {
  mode: Mode
  control: CheckoutControl
  /** A person confirms the money, so there is no control. */
  isManual?: boolean
  /** What the buyer needs for a bank transfer. */
  transfer?: ShownTransfer | null
  /** The time to pay has passed, although the provider has not closed the payment yet. */
  isOver?: boolean
  /** The buyer has finished, and the provider is still working. */
  isUnderWay?: boolean
  /** How the last attempt ended without money. Present if another attempt can be opened. */
  ended?: Ended | null
  /** Why the last attempt was declined, if the provider tells it. */
  declineCategory?: Ended['declineCategory']
  /** The buyer used the control while the route was not ready. */
  isUnavailable?: boolean
  /** Another payment has paid this order, or may have paid it. */
  paidOtherwise?: PaidOtherwise
  /** Another payment for the same product, which this browser has begun. */
  earlier?: Pick<Earlier, 'isPaid' | 'address'> | null
  /** The page's own address, for its QR code. */
  address?: string
  /** Set where the page asks for the buyer's e-mail address. */
  email?: AskedEmail | undefined
  /** What the product asks the buyer. */
  fields?: readonly FormField[]
  lookAgain?: LookAgain
  returnUrl?: string
  localeLinks?: LocaleLinks
}

/** The hosted checkout: one page for every state of a payment, with at most one control that takes the buyer on. */
export function checkoutPage(view: CheckoutView): string {
  const content = checkoutContent(view)
  const { locale, mode, merchantName } = view
  const isOpen = content.tone === 'open'
  const action = isWarning(content)
    ? [
        ways(view, content),
        otherPayment(view),
        emailAlert(locale, view.email),
        fieldsAlert(locale, view.fields),
        control(view, content),
      ]
    : [
        emailAlert(locale, view.email),
        fieldsAlert(locale, view.fields),
        isOpen ? earlierNotice(locale, view.earlier) : null,
        content === TRANSFER ? transferPart(view, view.transfer) : null,
        control(view, content),
        isOpen ? note(view, content) : ways(view, content),
      ]
  const below = [
    isWarning(content) ? null : otherPayment(view),
    isOpen ? ways(view, content) : null,
    isOpen && view.address ? qrFigure(view.address, locale) : null,
  ]
  return renderPage({
    locale,
    mode,
    title: `${say(locale, content.title)} · ${merchantName}`,
    preview: previewOf(view),
    brand: view.brand,
    body: slip(view, content, { testId: 'checkout', action, below }),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

export function checkoutContent(view: Omit<CheckoutView, 'locale' | 'mode'>): StatusContent {
  if (view.isUnderWay) return PROCESSING
  const content: StatusContent = STATUS_CONTENT[view.status ?? 'created']
  if (content.control === undefined) return closedContent(view)
  if (view.isManual) return manualContent(view.transfer)
  // A buyer who has been at the bank may have paid in time. Other buyers have not paid.
  if (view.isOver && content.mayChange === undefined) return OVER
  if (view.isOver || safeControl(view.control) === null) return PROCESSING
  const hasFailed = view.isUnavailable || view.ended?.state === 'refused'
  if (hasFailed && view.control.kind === 'choice' && !view.paidOtherwise) return OTHER_WAY
  if (view.isUnavailable && !view.paidOtherwise) return UNAVAILABLE
  if (view.ended && !view.paidOtherwise) return tryAgainContent(view.ended)
  return view.paidOtherwise ? warningContent(view.paidOtherwise) : content
}

/** Returns the control, or null if its address may not be linked. */
function safeControl(control: CheckoutControl): CheckoutControl | null {
  if (control.kind === 'none') return null
  const action = ownOrWebAddress(control.action)
  return action === undefined ? null : { ...control, action }
}

function control(view: CheckoutView, content: StatusContent): Markup {
  const safe = content.control === undefined ? null : safeControl(view.control)
  if (safe === null || safe.kind === 'none') return null
  if (safe.kind === 'choice') return choiceForm(view.locale, safe, view.email, view.fields)
  const label = say(view.locale, content.control as MessageKey, { amount: amountOf(view) })
  const look = isWarning(content) ? 'button quiet' : 'button'
  const { action, fields } = safe
  return html`<form method="post" action=${action}>
    ${emailField(view.locale, view.email)}
    ${fieldInputs(view.locale, view.fields)}
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <button class=${look} type="submit" data-testid="pay">${label}</button>
  </form>`
}

function ways(view: CheckoutView, content: StatusContent): Markup {
  const { locale } = view
  const isMain = isWarning(content) || (content.control === undefined && content.mayChange === undefined)
  return html`<div class="ways">
    ${content.mayChange && view.lookAgain ? lookingAgain(locale, view.lookAgain) : null}
    ${wayBack(locale, view.returnUrl, isMain)}
    ${wayToReceipt(locale, view.receiptAddress)}
  </div>`
}
