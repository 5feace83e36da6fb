import { translate } from '../../messages/translate.ts'
import type { Earlier } from '../buyer-cookies.ts'
import { html, type Markup } from '../html.ts'
import { earlierNotice } from '../pay/earlier-notice.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { emailAlert, emailField } from './email-field.ts'
import { type OtherWay, otherWayPart } from './other-way.ts'
import { closedContent, isWarning, otherPayment, warningContent } from './paid-otherwise.ts'
import { amountOf, note, wordedFor } from './payment-frame.ts'
import { type FormField, fieldInputs, fieldsAlert } from './product-fields.ts'
import { isEnd, isOpen, type StateView, statePage, waysOn } from './state-page.ts'
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
  underWayContent,
} from './status-content.ts'
import { transferPart } from './transfer-part.ts'

/**
 * How the buyer gets to the provider: by a form, because a link scanner follows links and would open an order. `none`: there is no
 * control (the manual route, or a closed payment).
 */
export type CheckoutControl =
  | { kind: 'form'; action: string; fields: Record<string, string> }
  | ChoiceControl
  | { kind: 'none' }

export type CheckoutView = StateView & {
  control: CheckoutControl
  /** The buyer used the control while the route was not ready. */
  isUnavailable?: boolean
  /** Another payment for the same product, which this browser has begun. */
  earlier?: Pick<Earlier, 'isPaid' | 'address'> | null
  /** The page's own address, for its QR code. */
  address?: string
  /** What the product asks the buyer. */
  fields?: readonly FormField[]
  /** Present if the buyer has gone on to one provider, and could pay in another way. */
  otherWay?: OtherWay
}

/** The hosted checkout: one page for every state of a payment, with at most one control that takes the buyer on. */
export function checkoutPage(view: CheckoutView): string {
  const content = checkoutContent(view)
  const { locale } = view
  const ways = waysOn(view, content, isWarning(content) || isEnd(content))
  const alerts = [emailAlert(locale, view.email), fieldsAlert(locale, view.fields)]
  const action = isWarning(content)
    ? [ways, otherPayment(view), ...alerts, control(view, content)]
    : [
        ...alerts,
        isOpen(content) ? earlierNotice(locale, view.earlier) : null,
        content === TRANSFER ? transferPart(view, view.transfer) : null,
        control(view, content),
        content.control ? otherWayPart(view, view.otherWay) : null,
        isOpen(content) ? note(view, content) : ways,
      ]
  return statePage(view, content, { testId: 'checkout', action, ways, address: view.address })
}

export function checkoutContent(view: Omit<CheckoutView, 'locale' | 'mode'>): StatusContent {
  if (view.isUnderWay) return underWayContent(view)
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
  if (content.control === undefined) return null
  const safe = safeControl(view.control)
  if (safe === null || safe.kind === 'none') return null
  if (safe.kind === 'choice') return choiceForm(view.locale, safe, view.email, view.fields)
  const label = translate(view.locale, wordedFor(view, content.control), { amount: amountOf(view) })
  const look = isWarning(content) ? 'button quiet' : 'button'
  const { action, fields } = safe
  return html`<form method="post" action=${action}>
    ${emailField(view.locale, view.email)}
    ${fieldInputs(view.locale, view.fields)}
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <button class=${look} type="submit" data-testid="pay">${label}</button>
  </form>`
}
