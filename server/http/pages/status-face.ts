import type { PaymentStatus } from '../../contract/payment.ts'
import type { MessageKey } from './messages.ts'

/** How a state looks; each tone has its own icon, so that colour never says anything alone. */
export type Tone = 'open' | 'good' | 'waiting' | 'unsure' | 'bad' | 'neutral'

export type Face = {
  tone: Tone
  title: MessageKey
  text: MessageKey
  /** The label of the one control that takes the buyer on. Absent: such a page never has a control. */
  control?: MessageKey
  /** The state may change by itself soon, so the page offers to look again. */
  mayChange?: true
}

const OPEN: Face = { tone: 'open', title: 'openTitle', text: 'openText', control: 'pay' }

/** What the buyer is told in every state of a payment. */
export const STATUS_FACES = {
  created: OPEN,
  pending_redirect: OPEN,
  pending_payment: {
    tone: 'waiting',
    title: 'pendingTitle',
    text: 'pendingText',
    control: 'continueAtBank',
    mayChange: true,
  },
  authorized: { tone: 'good', title: 'authorizedTitle', text: 'authorizedText' },
  paid: { tone: 'good', title: 'paidTitle', text: 'paidText' },
  failed: { tone: 'bad', title: 'failedTitle', text: 'failedText' },
  cancelled: { tone: 'neutral', title: 'cancelledTitle', text: 'cancelledText' },
  expired: { tone: 'neutral', title: 'expiredTitle', text: 'expiredText' },
  status_unknown: { tone: 'unsure', title: 'unknownTitle', text: 'unknownText', mayChange: true },
  reversed: { tone: 'neutral', title: 'reversedTitle', text: 'reversedText' },
  partially_refunded: { tone: 'neutral', title: 'partiallyRefundedTitle', text: 'partiallyRefundedText' },
  refunded: { tone: 'neutral', title: 'refundedTitle', text: 'refundedText' },
  disputed: { tone: 'neutral', title: 'disputedTitle', text: 'disputedText' },
} as const satisfies Record<PaymentStatus, Face>

/** The buyer has been to the bank and there is nowhere to send them on to: only the answer is missing. */
export const PROCESSING: Face = {
  tone: 'waiting',
  title: 'processingTitle',
  text: 'processingText',
  mayChange: true,
}

/** No provider behind the route: a person at the merchant confirms the money. */
export const MANUAL: Face = { tone: 'waiting', title: 'manualTitle', text: 'manualText', mayChange: true }
