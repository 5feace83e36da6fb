import type { PaymentStatus } from '../../../contract/payment.ts'
import type { MessageKey } from '../words/messages.ts'

/** How a state looks; each tone has its own icon, so that colour never says anything alone. */
export type Tone = 'open' | 'good' | 'waiting' | 'unsure' | 'bad' | 'neutral'

export type Face = {
  tone: Tone
  title: MessageKey
  text: MessageKey
  /** The label of the one control that takes the buyer on. Absent: such a page never has a control. */
  control?: MessageKey
  /** The state may change: `soon`, so that the page looks again by itself, or when a `person` has acted. */
  mayChange?: 'soon' | 'person'
  /** What happens from here, one sentence each. */
  next?: readonly MessageKey[]
}

const OPEN: Face = { tone: 'open', title: 'openTitle', text: 'openText', control: 'pay' }
const UNDECIDED_NEXT = ['unknownNextAsk', 'unknownNextTaken', 'unknownNextKept'] as const

/** A payment gets these states only when its provider has said that no money moved. */
const NOTHING_TAKEN = ['nothingTaken', 'nothingHeld'] as const

/** What the buyer is told in every state of a payment. */
export const STATUS_FACES = {
  created: OPEN,
  pending_redirect: OPEN,
  pending_payment: {
    tone: 'waiting',
    title: 'pendingTitle',
    text: 'pendingText',
    control: 'continueAtBank',
    mayChange: 'soon',
  },
  authorized: { tone: 'good', title: 'authorizedTitle', text: 'authorizedText' },
  paid: { tone: 'good', title: 'paidTitle', text: 'paidText' },
  failed: { tone: 'bad', title: 'failedTitle', text: 'failedText', next: NOTHING_TAKEN },
  cancelled: { tone: 'neutral', title: 'cancelledTitle', text: 'cancelledText', next: NOTHING_TAKEN },
  expired: { tone: 'neutral', title: 'expiredTitle', text: 'expiredText', next: NOTHING_TAKEN },
  status_unknown: {
    tone: 'unsure',
    title: 'unknownTitle',
    text: 'unknownText',
    mayChange: 'soon',
    next: UNDECIDED_NEXT,
  },
  reversed: { tone: 'neutral', title: 'reversedTitle', text: 'reversedText' },
  partially_refunded: { tone: 'neutral', title: 'partiallyRefundedTitle', text: 'partiallyRefundedText' },
  refunded: { tone: 'neutral', title: 'refundedTitle', text: 'refundedText' },
  disputed: { tone: 'neutral', title: 'disputedTitle', text: 'disputedText' },
} as const satisfies Record<PaymentStatus, Face>

/** The time to pay has passed, and the provider has not said yet whether money moved. So the page does not say it either. */
export const OVER: Face = { tone: 'neutral', title: 'expiredTitle', text: 'expiredText' }

/** The last attempt ended without money, and the payment can still be paid. */
export const TRY_AGAIN: Face = { tone: 'bad', title: 'failedTitle', text: 'againText', control: 'tryAgain' }

/** There is nowhere to send the buyer on to, and only the bank's answer is missing. */
export const PROCESSING: Face = {
  tone: 'waiting',
  title: 'processingTitle',
  text: 'processingText',
  mayChange: 'soon',
}

/** No provider behind the route: a person at the merchant confirms the money. */
export const MANUAL: Face = { tone: 'waiting', title: 'manualTitle', text: 'manualText', mayChange: 'person' }

/** This payment is open, but another one has paid the same order: nobody goes on without having read that. */
export const PAID_OTHERWISE: Face = {
  tone: 'unsure',
  title: 'orderPaidTitle',
  text: 'orderPaidText',
  control: 'payAgain',
}

/** As above, where nobody knows yet whether the other one was paid. */
export const UNKNOWN_OTHERWISE: Face = {
  tone: 'unsure',
  title: 'orderUnknownTitle',
  text: 'orderUnknownText',
  control: 'payAgain',
}

/** A product that nobody has begun to pay for. */
export const OFFER: Face = { tone: 'open', title: 'openTitle', text: 'offerText', control: 'pay' }
/** The buyer chooses how many. */
export const OFFER_EACH: Face = { ...OFFER, title: 'eachTitle' }
/** The buyer chooses the amount, so the page names none. */
export const CHOOSE: Face = { ...OFFER, title: 'chooseTitle' }
