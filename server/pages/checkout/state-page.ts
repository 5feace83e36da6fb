/** What the checkout page and the page of a payment link have in common: both show one payment in its present state. */

import type { Mode } from '../../contract/health.ts'
import { translate } from '../../messages/translate.ts'
import type { Ended } from '../../payments/creation/checkout.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { qrFigure } from '../qr-code.ts'
import type { AskedEmail } from './email-field.ts'
import { lookingAgain, type RefreshPlan } from './look-again.ts'
import { isWarning, otherPayment, type PaidOtherwise } from './paid-otherwise.ts'
import { type PaymentFacts, previewOf, slip, wayBack, wayToReceipt } from './payment-frame.ts'
import type { StatusContent } from './status-content.ts'
import type { ShownTransfer } from './transfer-part.ts'

export type StateView = PaymentFacts & {
  mode: Mode
  /** A person confirms the money, so there is no control. */
  isManual?: boolean
  /** What the buyer needs for a bank transfer. */
  transfer?: ShownTransfer | null
  /** The time to pay has passed, although the provider has not closed the payment yet. */
  isOver?: boolean
  /** The buyer has finished, and the provider is still working. */
  isUnderWay?: boolean
  /** The buyer has approved, and the provider does not let the shop take the money now. */
  approvalStands?: boolean
  /** The shop has cancelled the payment. */
  isCancelledByShop?: boolean
  /** The buyer has a voucher or instructions of the provider to pay with. */
  waitsElsewhere?: boolean
  /** How the last attempt ended without money. Present if another attempt can be opened. */
  ended?: Ended | null
  /** Why the last attempt was declined, if the provider tells it. */
  declineCategory?: Ended['declineCategory']
  /** Another payment has paid this order, or may have paid it. */
  paidOtherwise?: PaidOtherwise
  /** Present if the page asks for the buyer's e-mail address. */
  email?: AskedEmail | undefined
  lookAgain?: RefreshPlan
  returnUrl?: string
  localeLinks?: LocaleLinks
}

/** Open: the buyer has not been sent to the provider yet. */
export const isOpen = (content: StatusContent): boolean => content.tone === 'open'

/** Whether the page is final: the buyer can do nothing on it, and it will not change. */
export const isEnd = (content: StatusContent): boolean =>
  content.control === undefined && content.mayChange === undefined

/** `action`: the part above the line. `ways`: from `waysOn`. `address`: the page's own, for its QR code. */
export function statePage(
  view: StateView,
  content: StatusContent,
  parts: { testId: string; action: Markup[]; ways: Markup; address: string | undefined },
): string {
  const { locale, mode, merchantName, brand, localeLinks } = view
  const { testId, action, ways, address } = parts
  const below = [
    isWarning(content) ? null : otherPayment(view),
    isOpen(content) ? ways : null,
    isOpen(content) && address ? qrFigure(address, locale) : null,
  ]
  return renderPage({
    locale,
    mode,
    title: `${translate(locale, content.title)} · ${merchantName}`,
    preview: previewOf(view),
    brand,
    body: slip(view, content, { testId, action, below }),
    ...(localeLinks && { localeLinks }),
  })
}

/** The ways from this page. `isMain`: the way back to the shop is the main thing to do. `onward`: a way that only this page has. */
export function waysOn(
  view: StateView,
  content: StatusContent,
  isMain: boolean,
  onward: Markup = null,
): Markup {
  const { locale, lookAgain } = view
  return html`<div class="ways">
    ${content.mayChange && lookAgain ? lookingAgain(locale, lookAgain) : null}
    ${onward}
    ${wayBack(locale, view.returnUrl, isMain)}
    ${wayToReceipt(locale, view.receiptAddress)}
  </div>`
}
