/** What the demo shop knows of an order, and why it may not ship yet: the rules that every merchant should keep. */
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { DEMO_PRODUCT } from './seed.ts'

export type KnownEvent = { event: PaymentStatusChanged; receivedAt: Date }

const WHY: Partial<Record<PaymentSession['status'], string>> = {
  authorized: 'The money is reserved but not taken. The shop waits for the capture.',
  failed: 'The bank declined. The shop offers another attempt.',
  cancelled: 'The buyer turned back. The shop offers another attempt.',
  expired: 'Nobody paid in time. The shop offers another attempt.',
  status_unknown:
    'Nobody knows yet whether money moved. The shop must not ship, and must not ask for the money again.',
  reversed: 'The money went back. The shop must not ship.',
  refunded: 'The money was refunded. The shop must not ship.',
  partially_refunded: 'Part of the money was refunded. A person at the shop decides.',
  disputed: 'The buyer disputes the payment. The shop holds the order.',
}

export function explainOrder(lookUp: PaymentSession, known: KnownEvent | null, checkedAt: Date) {
  const isPaid = lookUp.status === 'paid'
  const isPaidByEvent = known?.event.payment.status === 'paid'
  const matches = lookUp.amountMinor === DEMO_PRODUCT.amountMinor && lookUp.currency === DEMO_PRODUCT.currency
  const mayShip = isPaid && isPaidByEvent && matches
  return {
    ...{
      paymentId: lookUp.id,
      merchantOrderId: lookUp.merchantOrderId,
      mayShip,
      why: why(lookUp, { matches, isPaidByEvent }),
    },
    lookUp: {
      ...{ status: lookUp.status, amountMinor: lookUp.amountMinor, currency: lookUp.currency },
      ...{ fiscalStatus: lookUp.fiscalStatus, checkedAt: checkedAt.toISOString() },
    },
    event: known && {
      ...{ id: known.event.id, status: known.event.payment.status },
      ...{ receivedAt: known.receivedAt.toISOString(), signatureVerified: true },
    },
    steps: [
      {
        label: 'The browser came back',
        done: true,
        detail: 'Anybody can open this address, so it proves nothing.',
      },
      {
        label: 'The look-up says paid',
        done: isPaid,
        detail: `GET /v1/payments answers “${lookUp.status}”.`,
      },
      {
        ...{ label: 'A signed event says paid', done: isPaidByEvent },
        detail: known
          ? `The event says “${known.event.payment.status}”, and its signature fits.`
          : 'No event has arrived yet.',
      },
      {
        label: 'Amount, currency and order match',
        done: matches,
        detail: 'Compared with the shop’s own price list.',
      },
    ],
  }
}

function why(
  { status }: PaymentSession,
  { matches, isPaidByEvent }: { matches: boolean; isPaidByEvent: boolean },
): string {
  if (status !== 'paid') return WHY[status] ?? 'The payment is not decided yet. The shop waits.'
  if (!matches) return 'It is paid, but not with the shop’s price. A person at the shop decides.'
  return isPaidByEvent
    ? 'Paid, confirmed twice, and the amount is right.'
    : 'Paid; the shop still waits for the signed event.'
}
