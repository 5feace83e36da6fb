/** "Why is this not paid?", in plain words, for each status a payment can be in. */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { PaymentRecord, Timeline } from '../operator/payment-timeline.ts'
import { isOpen } from '../payments/status.ts'
import { amount, moment } from './layout.ts'

type Facts = {
  payment: PaymentRecord
  /** What the last change was noted with, as an addition to a sentence. */
  because: string
  /** How it goes on: who asks the provider, and when. */
  outlook: string
  total: string
  overdue: boolean
}

const WHY: Record<PaymentStatus, (facts: Facts) => string> = {
  created: ({ outlook }) =>
    `No checkout has been opened for it: the request that created it was cut short, or is still at work. The same request again, or the service by itself, finishes it. ${outlook}`,
  pending_redirect: ({ payment, overdue, outlook }) =>
    `Its checkout was handed out, and no money has been reported since. It ${overdue ? 'expired' : 'expires'} ${moment(payment.expiresAt)}. ${outlook}`,
  pending_payment: ({ payment, overdue, outlook }) =>
    `The buyer has reached the provider, which has not said yet that the money moved. It ${overdue ? 'expired' : 'expires'} ${moment(payment.expiresAt)}. ${outlook}`,
  authorized: ({ payment }) =>
    `${amount(payment.authorizedMinor, payment.currency)} is held on the buyer's card, and has not been captured.`,
  paid: () => 'It is paid.',
  partially_refunded: ({ payment, total }) =>
    `It was paid; ${amount(payment.refundedMinor, payment.currency)} of ${total} went back to the buyer.`,
  refunded: ({ total }) => `It was paid, and all of it (${total}) went back to the buyer.`,
  reversed: ({ because }) => `It was authorized or paid, and then reversed before it was settled${because}.`,
  disputed: ({ because }) => `It was paid, and the buyer disputes it at their bank${because}.`,
  failed: ({ because }) => `The provider refused it for good${because}. The buyer needs a new attempt.`,
  cancelled: ({ because }) => `The buyer gave up at the provider${because}. Paying now needs a new attempt.`,
  expired: ({ payment, because }) =>
    `Nobody paid before ${moment(payment.expiresAt)}${because}. Paying now needs a new attempt.`,
  status_unknown: ({ because, outlook }) =>
    `Nobody knows whether the money moved${because}. Do not ship, and do not charge again, before it is cleared. ${outlook} Whoever has seen the provider's own books may decide: payment resolve.`,
}

/** One or two sentences; for a payment that is paid, they say so. */
export function whyNotPaid(ctx: Context, { payment, changes }: Timeline): string {
  const detail = changes.at(-1)?.detail
  const facts = {
    payment,
    because: detail ? ` (${detail})` : '',
    outlook: isOpen(payment.status) ? outlook(ctx, payment) : '',
    total: amount(payment.amountMinor, payment.currency),
    overdue: payment.expiresAt <= ctx.clock.now(),
  }
  return WHY[payment.status](facts).trim()
}

function outlook(ctx: Context, { provider, questionDueAt }: PaymentRecord): string {
  const route = ctx.routes[provider]
  if (!route.driver) return `The provider cannot be asked: ${provider} is not ready. ${route.reason}`
  if (!route.driver.lookUp)
    return `The provider of ${provider} cannot be asked: an operator has to confirm the money (payment confirm), or give it up (payment resolve).`
  if (!questionDueAt) return 'The schedule asks the provider no more; a look-up through the API still does.'
  if (questionDueAt > ctx.clock.now()) return `The provider is asked next ${moment(questionDueAt)}.`
  return `The provider was to be asked ${moment(questionDueAt)}: if that stays in the past, no worker is running.`
}
