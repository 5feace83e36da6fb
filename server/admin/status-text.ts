/** Explains each payment status, and so answers "why is this payment not paid?". */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { type Outlook, outlookOf } from '../operator/payment-outlook.ts'
import type { PaymentRecord, Timeline } from '../operator/payment-timeline.ts'
import { amount, moment } from './layout.ts'

type Facts = {
  payment: PaymentRecord
  /** The detail of the last change in parentheses, to append to a sentence; empty if there is none. */
  because: string
  /** When the provider is asked next, or why it is not. */
  outlook: string
  total: string
  expiry: string
}

const EXPLANATIONS: Record<PaymentStatus, (facts: Facts) => string> = {
  created: ({ outlook }) =>
    `Its checkout has not been opened yet. The request that created it was interrupted or is still running. The same request sent again finishes it, and so does the worker. ${outlook}`,
  pending_redirect: ({ expiry, outlook }) =>
    `Its checkout is open, and the provider has reported no money yet. ${expiry} ${outlook}`,
  pending_payment: ({ expiry, outlook }) =>
    `The buyer has reached the provider, and the provider has not reported the money yet. ${expiry} ${outlook}`,
  authorized: ({ payment }) =>
    `${amount(payment.authorizedMinor, payment.currency)} is held on the buyer's card, and has not been captured yet.`,
  paid: () => 'It is paid.',
  partially_refunded: ({ payment, total }) =>
    `It was paid, and ${amount(payment.refundedMinor, payment.currency)} of ${total} was refunded to the buyer.`,
  refunded: ({ total }) => `It was paid, and all of it (${total}) was refunded to the buyer.`,
  reversed: ({ because }) => `It was authorized or paid, and then reversed before settlement${because}.`,
  disputed: ({ because }) => `It was paid, and the buyer disputes it at their bank${because}.`,
  failed: ({ because }) =>
    `The provider declined it, and this is final${because}. To pay, the buyer needs a new attempt.`,
  cancelled: ({ because }) =>
    `The buyer cancelled at the provider${because}. To pay, the buyer needs a new attempt.`,
  expired: ({ payment, because }) =>
    `Nobody paid before ${moment(payment.expiresAt)}${because}. To pay, the buyer needs a new attempt.`,
  status_unknown: ({ payment, because, outlook }) =>
    `It is not known whether the money moved${because}. Do not ship, and do not charge again, until this is resolved. ${outlook} If you can see the provider's own records, decide with: payment resolve --version ${payment.version}.`,
}

/** Returns one or more sentences. */
export function explainStatus(ctx: Context, { payment, changes }: Timeline): string {
  const detail = changes.at(-1)?.detail
  const outlook = outlookOf(ctx, payment)
  const facts = {
    payment,
    because: detail ? ` (${detail})` : '',
    outlook: outlook ? outlookText(outlook, payment) : '',
    total: amount(payment.amountMinor, payment.currency),
    expiry: `It ${payment.expiresAt <= ctx.clock.now() ? 'expired' : 'expires'} ${moment(payment.expiresAt)}.`,
  }
  return EXPLANATIONS[payment.status](facts).trim()
}

function outlookText(outlook: Outlook, { provider }: PaymentRecord): string {
  switch (outlook.kind) {
    case 'account_not_ready':
      return `The provider cannot be asked, because the account ${outlook.accountId} of ${provider} is not ready: ${outlook.reason}`
    case 'person_decides':
      return `${provider} has no provider that can be asked. When the money arrives, confirm it with: payment confirm. To close the payment without money, use: payment resolve.`
    case 'schedule_over':
      return 'The scheduled questions to the provider are over. A look-up through the API still asks the provider.'
    case 'scheduled':
      return `The next question to the provider is due ${moment(outlook.at)}.`
    case 'overdue':
      return `A question to the provider was due ${moment(outlook.at)}. If this time stays in the past, no worker is running.`
  }
}
