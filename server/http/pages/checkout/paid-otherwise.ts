/** What a payment's pages say of another payment that has the money of the same order, or may have it. */
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

/** `isUnknown`: nobody knows yet whether the other payment was paid. `at`: its last change. */
export type PaidOtherwise = { isUnknown: boolean; amountMinor: number; currency: CurrencyCode; at: string }

type View = PaymentFacts & {
  /** Another payment has paid this order, or may have. */
  paidOtherwise?: PaidOtherwise
  /** Why the last attempt was declined, where the provider says so. */
  declineCategory?: Ended['declineCategory']
}

/** The warning before the buyer pays for the order once more. */
export const otherFace = ({ isUnknown }: PaidOtherwise) => (isUnknown ? UNKNOWN_OTHERWISE : PAID_OTHERWISE)

export const isWarning = (face: Face) => face === PAID_OTHERWISE || face === UNKNOWN_OTHERWISE

/** The face of a payment that leads nowhere any more. */
export function closedFace({
  status = 'created',
  declineCategory,
  paidOtherwise,
}: Pick<View, 'status' | 'declineCategory' | 'paidOtherwise'>): Face {
  const face: Face = status === 'failed' ? failedFace(declineCategory) : STATUS_FACES[status]
  return paidOtherwise ? paidElsewhere(face) : face
}

/** When and how much: the buyer can compare it with what their bank shows. */
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
