/** What a payment's pages say about another payment that has paid the same order, or may have paid it. */
import type { CurrencyCode } from '../../../contract/fields.ts'
import type { Ended } from '../../../payments/creation/checkout.ts'
import { html, type Markup } from '../html.ts'
import { formatAmount, formatMoment } from '../words/locale.ts'
import { say } from '../words/messages.ts'
import type { PaymentFacts } from './slip.ts'
import {
  type Face,
  failedFace,
  PAID_OTHERWISE,
  paidElsewhere,
  STATUS_FACES,
  UNKNOWN_OTHERWISE,
} from './status-face.ts'

/** `isUnknown`: it is not known yet whether the other payment was paid. `at`: its last change. */
export type PaidOtherwise = { isUnknown: boolean; amountMinor: number; currency: CurrencyCode; at: string }

type View = PaymentFacts & {
  /** Another payment has paid this order, or may have paid it. */
  paidOtherwise?: PaidOtherwise
  /** Why the last attempt was declined, if the provider tells it. */
  declineCategory?: Ended['declineCategory']
}

/** The warning before the buyer pays for the order once more. */
export const otherFace = ({ isUnknown }: PaidOtherwise) => (isUnknown ? UNKNOWN_OTHERWISE : PAID_OTHERWISE)

export const isWarning = (face: Face) => face === PAID_OTHERWISE || face === UNKNOWN_OTHERWISE

/** How a payment looks that cannot be paid any more. */
export function closedFace({
  status = 'created',
  declineCategory,
  paidOtherwise,
}: Pick<View, 'status' | 'declineCategory' | 'paidOtherwise'>): Face {
  const face: Face = status === 'failed' ? failedFace(declineCategory) : STATUS_FACES[status]
  return paidOtherwise ? paidElsewhere(face) : face
}

/** The time and the amount, which the buyer can compare with the bank's records. */
export function otherPayment({ locale, paidOtherwise, brand }: View): Markup {
  if (!paidOtherwise) return null
  const { isUnknown, amountMinor, currency, at } = paidOtherwise
  const [amount, moment] = [
    formatAmount(amountMinor, currency, locale),
    formatMoment(at, locale, { year: true, timeZone: brand?.timeZone }),
  ]
  const key = isUnknown ? 'otherUnknown' : 'otherPaid'
  return html`<p class="alert" data-testid="paid-otherwise">${say(locale, key, { amount, moment: moment ?? '' })}</p>`
}
