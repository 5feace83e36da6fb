/** Explains each payment status, and so answers "why is this payment not paid?", and names the commands that come next. */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { type Outlook, outlookOf } from '../operator/payment-outlook.ts'
import type { AttemptedPayment, Timeline } from '../operator/payment-timeline.ts'
import { hasStandingApproval } from '../payments/derived-status.ts'
import { decidesBy } from '../payments/question-schedule.ts'
import { disputedOf } from '../payments/status.ts'
import { ADMIN, shellWord } from './command.ts'
import { amount, moment } from './layout.ts'

type Facts = {
  payment: AttemptedPayment
  /** The detail of the last change in parentheses, to append to a sentence; empty if there is none. */
  because: string
  /** Set if a person decided the last change. */
  decided: string | null
  /** When the provider is asked next, or why it is not. */
  outlook: string
  /** What was taken, and of how much if that is not the whole amount. */
  taken: string
  expiry: string
}

const NEW_ATTEMPT = 'To pay, the buyer needs a new attempt.'

const EXPLANATIONS: Record<PaymentStatus, (facts: Facts) => string> = {
  created: ({ outlook }) =>
    `Its checkout has not been opened yet. The request that created it was interrupted or is still running. The same request sent again finishes it, and so does the worker. ${outlook}`,
  pending_redirect: ({ expiry, outlook }) =>
    `Its checkout is open, and the provider has reported no money yet. ${expiry} ${outlook}`,
  pending_payment: ({ expiry, outlook }) =>
    `The buyer has reached the provider, and the provider has not reported the money yet. ${expiry} ${outlook}`,
  authorized: ({ payment }) =>
    `${amount(payment.authorizedMinor, payment.currency)} is held on the buyer's card, and has not been captured yet.`,
  paid: ({ payment, taken }) =>
    payment.capturedMinor < payment.amountMinor ? `It is paid: ${taken} was captured.` : 'It is paid.',
  partially_refunded: ({ payment, taken }) =>
    `It was paid, and ${amount(payment.refundedMinor, payment.currency)} of ${taken} went back to the buyer.`,
  refunded: ({ taken }) => `It was paid, and all of it (${taken}) went back to the buyer.`,
  reversed: ({ payment, because, taken }) =>
    payment.refundedMinor > 0
      ? `It was paid, and the buyer got all of it (${taken}) back through a dispute${because}.`
      : `It was authorized or paid, and then reversed before settlement${because}.`,
  disputed: ({ payment, because }) =>
    `It was paid, and the buyer disputes ${amount(disputedOf(payment), payment.currency)} of it at their bank${because}. What is disputed cannot be refunded.`,
  failed: ({ because, decided }) =>
    `${decided ?? `The provider declined it, and this is final${because}.`} ${NEW_ATTEMPT}`,
  cancelled: ({ because, decided }) =>
    `${decided ?? `The buyer cancelled at the provider${because}.`} ${NEW_ATTEMPT}`,
  expired: ({ payment, because, decided }) =>
    `${decided ?? `Nobody paid before ${moment(payment.expiresAt)}${because}.`} ${NEW_ATTEMPT}`,
  status_unknown: ({ because, outlook }) =>
    `It is not known whether the money moved${because}. Do not ship, and do not charge again, until this is resolved. ${outlook}`,
}

/** `why`: one or more sentences. `next`: lines that each say what a command does, and the command. */
export type Explanation = { why: string; next: string[] }

export function explainStatus(
  ctx: Context,
  { payment, changes, exchanges, warnings }: Timeline,
): Explanation {
  const outlook = outlookOf(ctx, payment, exchanges.at(-1))
  const why = sentencesOf(ctx, payment, { last: changes.at(-1), outlook })
  const warning = outlook && warnings.at(-1)
  return {
    // The provider may have reported the money in an answer that was not used.
    why: warning ? `${why} Last warning, ${moment(warning.createdAt)}: ${sentence(warning.detail)}` : why,
    next: outlook ? nextOf(payment, outlook) : [],
  }
}

function sentencesOf(
  ctx: Context,
  payment: AttemptedPayment,
  { last, outlook }: { last: Timeline['changes'][number] | undefined; outlook: Outlook | null },
): string {
  const until = decidesBy(payment)
  if (payment.attempt.underWaySince && until && hasStandingApproval(payment.attempt))
    return `The buyer has approved the payment, and since ${moment(payment.attempt.underWaySince)} the provider has not let this account take the money. Nothing is taken yet, and nobody should pay again. ${outlook ? outlookText(outlook, payment) : ''} It is tried again with each question, until the approval lapses at the provider.`
  if (payment.attempt.underWaySince && until)
    return `The buyer has finished, and the provider has been working on it since ${moment(payment.attempt.underWaySince)}. Nobody should pay again. ${outlook ? outlookText(outlook, payment) : ''} If the provider has not decided by ${moment(until)}, the payment becomes status_unknown, and a person decides.`
  const because = last?.detail ? ` (${last.detail})` : ''
  const facts = {
    payment,
    because,
    decided:
      last?.cause === 'operator' ? `${last.actor} decided that it is ${payment.status}${because}.` : null,
    outlook: outlook ? outlookText(outlook, payment) : '',
    taken: takenText(payment),
    expiry: `It ${payment.expiresAt <= ctx.clock.now() ? 'expired' : 'expires'} ${moment(payment.expiresAt)}.`,
  }
  return EXPLANATIONS[payment.status](facts).trim()
}

function nextOf({ id, version, status, attempt }: AttemptedPayment, { kind }: Outlook): string[] {
  const line = (lead: string, ...words: string[]) => `${lead}: ${ADMIN} ${words.map(shellWord).join(' ')}`
  const decide = ['payment', 'resolve', '--payment', id, '--version', String(version), '--as']
  const isDoubtful = ['account_not_ready', 'account_refused', 'provider_silent'].includes(kind)
  return [
    ...(isDoubtful ? [line('Test the account', 'account', 'test', '--account', attempt.accountId)] : []),
    ...(kind === 'person_decides'
      ? [
          line('The money has arrived', 'payment', 'confirm', '--payment', id, '--reference', 'REFERENCE'),
          line('Close it without money', ...decide, 'cancelled', '--why', 'REASON'),
        ]
      : []),
    ...(kind === 'person_decides' || kind === 'account_not_ready'
      ? []
      : [line('Ask the provider at once', 'payment', 'ask', '--payment', id)]),
    ...(status === 'status_unknown' && kind !== 'person_decides'
      ? [line("Decide by the provider's own records", ...decide, 'paid', '--why', 'REASON')]
      : []),
  ]
}

function takenText({ capturedMinor, amountMinor, currency }: AttemptedPayment): string {
  const taken = amount(capturedMinor, currency)
  return capturedMinor < amountMinor ? `${taken} of ${amount(amountMinor, currency)}` : taken
}

function outlookText(outlook: Outlook, { attempt: { provider } }: AttemptedPayment): string {
  switch (outlook.kind) {
    case 'account_not_ready':
      return `The provider cannot be asked, because the account ${outlook.accountId} of ${provider} is not ready: ${outlook.reason}`
    case 'account_refused':
      return `The provider refused requests of the account ${outlook.accountId} of ${provider} ${moment(outlook.at)}: ${sentence(outlook.reason)} Until this is mended, the provider's silence means nothing.`
    case 'provider_silent':
      return `The last request to the provider had no usable answer, ${moment(outlook.at)}: ${sentence(outlook.reason)} Until the provider answers, its silence means nothing.${outlook.nextAt ? ` It is asked again ${moment(outlook.nextAt)}.` : ''}`
    case 'person_decides':
      return `${provider} has no provider that can be asked.`
    case 'schedule_over':
      return 'The scheduled questions to the provider are over. A look-up through the API still asks the provider.'
    case 'scheduled':
      return `The next question to the provider is due ${moment(outlook.at)}.`
    case 'overdue':
      return `A question to the provider was due ${moment(outlook.at)}. If this time stays in the past, no worker is running.`
  }
}

/** Reasons of providers end with a full stop or not. */
const sentence = (reason: string) => reason.replace(/\.?$/, '.')
