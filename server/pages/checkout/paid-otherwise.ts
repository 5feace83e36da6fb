/** What a payment's pages say about another payment that has paid the same order, or may have paid it. */

import type { CurrencyCode } from '../../contract/fields.ts'
import { translate } from '../../messages/translate.ts'
import type { Ended } from '../../payments/creation/checkout.ts'
import { html, type Markup } from '../html.ts'
import { formatAmount, formatMoment } from '../words/locale.ts'
import type { PaymentFacts } from './payment-frame.ts'
import {
  CHANGED_ORDER,
  failedContent,
  PAID_OTHERWISE,
  paidElsewhere,
  REVERSED_LOST,
  STATUS_CONTENT,
  type StatusContent,
  UNKNOWN_OTHERWISE,
} from './status-content.ts'

/** `isUnknown`: it is not known yet whether the other payment was paid. `at`: its last change. */
export type PaidOtherwise = { isUnknown: boolean; amountMinor: number; currency: CurrencyCode; at: string }

type View = PaymentFacts & {
  /** Another payment has paid this order, or may have paid it. */
  paidOtherwise?: PaidOtherwise
  /** Why the last attempt was declined, if the provider tells it. */
  declineCategory?: Ended['declineCategory']
  /** The shop has cancelled the payment. */
  isCancelledByShop?: boolean
}

/** The warning before the buyer pays for the order once more. */
export const warningContent = ({ isUnknown }: PaidOtherwise) =>
  isUnknown ? UNKNOWN_OTHERWISE : PAID_OTHERWISE

export const isWarning = (content: StatusContent) =>
  content === PAID_OTHERWISE || content === UNKNOWN_OTHERWISE

/** What the page says about a payment that can no longer be paid. */
export function closedContent({
  status = 'created',
  declineCategory,
  paidOtherwise,
  refundedMinor,
  isCancelledByShop,
}: Pick<
  View,
  'status' | 'declineCategory' | 'paidOtherwise' | 'refundedMinor' | 'isCancelledByShop'
>): StatusContent {
  if (isCancelledByShop) return CHANGED_ORDER
  if (status === 'reversed' && refundedMinor) return REVERSED_LOST
  const content: StatusContent = status === 'failed' ? failedContent(declineCategory) : STATUS_CONTENT[status]
  return paidOtherwise ? paidElsewhere(content) : content
}

/** The time and the amount, which the buyer can compare with the bank's records. */
export function otherPayment({ locale, paidOtherwise, brand }: View): Markup {
  if (!paidOtherwise) return null
  const { isUnknown, amountMinor, currency, at } = paidOtherwise
  const [amount, moment] = [
    formatAmount(amountMinor, currency, locale),
    formatMoment(at, locale, { year: true, timeZone: brand?.timeZone }),
  ]
  const key = isUnknown ? 'pages.otherUnknown' : 'pages.otherPaid'
  return html`<p class="alert" data-testid="paid-otherwise">${translate(locale, key, { amount, moment: moment ?? '' })}</p>`
}
