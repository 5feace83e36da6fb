import type { PaymentStatus } from '../../contract/payment.ts'
import type { Ended } from '../../payments/creation/checkout.ts'
import type { MessageKey } from '../words/messages.ts'

/** The look of a status. Each tone has its own icon, so that nothing is shown by colour alone. */
export type Tone = 'open' | 'good' | 'waiting' | 'unsure' | 'bad' | 'neutral'

/** What a page shows for a status. */
export type StatusContent = {
  tone: Tone
  title: MessageKey
  text: MessageKey
  /** The label of the control that leads the buyer on. Absent: such a page has no control. */
  control?: MessageKey
  /** Whether the state may change: `soon`, so the page reloads itself, or after a `person` has acted. */
  mayChange?: 'soon' | 'person'
  /** What happens next, one sentence each. */
  next?: readonly MessageKey[]
}

const OPEN: StatusContent = { tone: 'open', title: 'openTitle', text: 'openText', control: 'pay' }
const UNDECIDED_NEXT = ['unknownNextAsk', 'unknownNextTaken', 'unknownNextKept'] as const

/** A payment gets these states only when its provider has said that no money moved. */
const NOTHING_TAKEN = ['nothingTaken', 'nothingHeld'] as const

/** What the buyer reads for each status of a payment. */
export const STATUS_CONTENT = {
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
} as const satisfies Record<PaymentStatus, StatusContent>

/** The shop has cancelled the payment. Money may have come since, so the page does not say that nothing was taken. */
export const CHANGED_ORDER: StatusContent = { tone: 'neutral', title: 'cancelledTitle', text: 'changedText' }

/** The buyer got everything back through a dispute. */
export const REVERSED_LOST: StatusContent = { ...STATUS_CONTENT.reversed, text: 'reversedLostText' }

/** The time to pay has passed. It is not known yet whether money moved, so the page does not mention it. */
export const OVER: StatusContent = { tone: 'neutral', title: 'expiredTitle', text: 'expiredText' }

/** Why the provider declined, if it tells. A suspicion of fraud is worded as the bank's decision. */
const DECLINE_TEXTS: Record<NonNullable<Ended['declineCategory']>, MessageKey> = {
  ask_another_card: 'declinedCard',
  try_later: 'declinedLater',
  ask_bank: 'declinedAskBank',
  fraud: 'declinedAskBank',
  technical: 'declinedTechnical',
}

/** The last attempt ended without money, and the payment can still be paid. */
export function tryAgainContent({ state, declineCategory }: Ended): StatusContent {
  const content = { tone: 'bad', title: 'failedTitle', control: 'tryAgain' } as const
  if (state === 'refused') return { ...content, text: 'againRefused', next: ['nothingTaken'] }
  if (state === 'expired')
    return { ...content, tone: 'neutral', text: 'againExpired', next: ['nothingTaken'] }
  if (state !== 'declined' && state !== 'open')
    return { ...content, text: 'againText', next: ['nothingTaken'] }
  return {
    ...content,
    // In an open order the buyer may be paying in another window.
    ...(state === 'open' && { mayChange: 'soon' }),
    text: declineCategory ? DECLINE_TEXTS[declineCategory] : 'againDeclined',
    next: NOTHING_TAKEN,
  }
}

/**
 * This payment took no money. The page does not say so of the order, because another payment of the order has taken money, or
 * may have taken it.
 */
export function paidElsewhere({ next = [], ...content }: StatusContent): StatusContent {
  const said = next.filter((key) => !NOTHING_TAKEN.some((each) => each === key))
  return said.length > 0 ? { ...content, next: said } : content
}

/** The payment has failed for good. */
export function failedContent(declineCategory: Ended['declineCategory']): StatusContent {
  const content: StatusContent = STATUS_CONTENT.failed
  if (!declineCategory) return content
  return { ...content, text: DECLINE_TEXTS[declineCategory], next: ['failedNext', ...NOTHING_TAKEN] }
}

/** The shop cannot be paid by this route now. The payment has not changed. */
export const UNAVAILABLE: StatusContent = {
  tone: 'waiting',
  title: 'unavailableTitle',
  text: 'routeNotReady',
  control: 'tryAgain',
  next: ['nothingTaken'],
}

/** The route that the buyer chose cannot be used now, and there are others. */
export const OTHER_WAY: StatusContent = {
  tone: 'waiting',
  title: 'otherWayTitle',
  text: 'otherWayText',
  control: 'tryAgain',
  next: ['nothingTaken'],
}

/** There is no page for the buyer, because the bank's response is missing. */
export const PROCESSING: StatusContent = {
  tone: 'waiting',
  title: 'processingTitle',
  text: 'processingText',
  mayChange: 'soon',
}

/**
 * The buyer has approved, and the provider does not let the shop take the money now. It may still be taken, so the buyer should not pay
 * in another way.
 */
export const APPROVAL_STANDS: StatusContent = {
  tone: 'waiting',
  title: 'approvedTitle',
  text: 'approvedText',
  mayChange: 'soon',
  next: ['approvedNextTried', 'approvedNextTold'],
}

/** The buyer pays elsewhere, with what the provider gave. It may have been paid already, so the page says nothing of the money. */
const WAITS_ELSEWHERE: StatusContent = {
  tone: 'waiting',
  title: 'waitsElsewhereTitle',
  text: 'waitsElsewhereText',
  mayChange: 'person',
  next: ['waitsElsewhereNext'],
}

type UnderWay = { approvalStands?: boolean | undefined; waitsElsewhere?: boolean | undefined }

/** The buyer has finished on the provider's page. `approvalStands`: the shop cannot take the money now. */
export function underWayContent({ approvalStands, waitsElsewhere }: UnderWay): StatusContent {
  if (approvalStands) return APPROVAL_STANDS
  return waitsElsewhere ? WAITS_ELSEWHERE : PROCESSING
}

/** The route has no provider. A person at the merchant confirms the money. */
const MANUAL: StatusContent = {
  tone: 'waiting',
  title: 'manualTitle',
  text: 'manualText',
  mayChange: 'person',
}

/** The same, if the account tells where the money goes. */
export const TRANSFER: StatusContent = { ...MANUAL, title: 'transferTitle', text: 'transferText' }

/** The order is not kept any more. The money may be on its way, so only a person ends the payment. */
const TRANSFER_OVER: StatusContent = {
  tone: 'neutral',
  title: 'transferOverTitle',
  text: 'transferOverText',
  mayChange: 'person',
}

export function manualContent(
  transfer: { account: object | null; isOver: boolean } | null | undefined,
): StatusContent {
  if (transfer?.isOver) return TRANSFER_OVER
  return transfer?.account ? TRANSFER : MANUAL
}

/** This payment is open, but another one has paid the same order. The buyer can go on only after reading this. */
export const PAID_OTHERWISE: StatusContent = {
  tone: 'unsure',
  title: 'orderPaidTitle',
  text: 'orderPaidText',
  control: 'payAgain',
}

/** The same, if it is not known yet whether the other payment was paid. */
export const UNKNOWN_OTHERWISE: StatusContent = {
  tone: 'unsure',
  title: 'orderUnknownTitle',
  text: 'orderUnknownText',
  control: 'payAgain',
}

/** A product for which this buyer has no payment yet. */
export const OFFER: StatusContent = { tone: 'open', title: 'openTitle', text: 'openText', control: 'pay' }
/** The buyer chooses how many. */
export const OFFER_EACH: StatusContent = { ...OFFER, title: 'eachTitle' }
/** The buyer chooses the amount, so the page shows none. */
export const CHOOSE: StatusContent = { ...OFFER, title: 'chooseTitle' }
