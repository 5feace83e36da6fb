import type { PaymentStatus } from '../../contract/payment.ts'
import type { PlainKey } from '../../messages/translate.ts'
import type { Ended } from '../../payments/creation/checkout.ts'

/** The look of a status. Each tone has its own icon, so that nothing is shown by colour alone. */
export type Tone = 'open' | 'good' | 'waiting' | 'unsure' | 'bad' | 'neutral'

/** What a page shows for a status. */
export type StatusContent = {
  tone: Tone
  title: PlainKey
  text: PlainKey | 'pages.partiallyRefundedText' | 'pages.reversedLostText'
  /** The label of the control that leads the buyer on. Absent: such a page has no control. */
  control?: 'pages.pay' | 'pages.payAgain' | 'pages.continueAtBank' | 'pages.tryAgain'
  /** Whether the state may change: `soon`, so the page reloads itself, or after a `person` has acted. */
  mayChange?: 'soon' | 'person'
  /** What happens next, one sentence each. */
  next?: readonly PlainKey[]
}

const OPEN: StatusContent = {
  tone: 'open',
  title: 'pages.openTitle',
  text: 'pages.openText',
  control: 'pages.pay',
}
const UNDECIDED_NEXT = ['pages.unknownNextAsk', 'pages.unknownNextTaken', 'pages.unknownNextKept'] as const

/** A payment gets these states only when its provider has said that no money moved. */
const NOTHING_TAKEN = ['pages.nothingTaken', 'pages.nothingHeld'] as const

/** What the buyer reads for each status of a payment. */
export const STATUS_CONTENT = {
  created: OPEN,
  pending_redirect: OPEN,
  pending_payment: {
    tone: 'waiting',
    title: 'pages.pendingTitle',
    text: 'pages.pendingText',
    control: 'pages.continueAtBank',
    mayChange: 'soon',
  },
  authorized: { tone: 'good', title: 'pages.authorizedTitle', text: 'pages.authorizedText' },
  paid: { tone: 'good', title: 'pages.paidTitle', text: 'pages.paidText' },
  failed: { tone: 'bad', title: 'pages.failedTitle', text: 'pages.failedText', next: NOTHING_TAKEN },
  cancelled: {
    tone: 'neutral',
    title: 'pages.cancelledTitle',
    text: 'pages.cancelledText',
    next: NOTHING_TAKEN,
  },
  expired: { tone: 'neutral', title: 'pages.expiredTitle', text: 'pages.expiredText', next: NOTHING_TAKEN },
  status_unknown: {
    tone: 'unsure',
    title: 'pages.unknownTitle',
    text: 'pages.unknownText',
    mayChange: 'soon',
    next: UNDECIDED_NEXT,
  },
  reversed: { tone: 'neutral', title: 'pages.reversedTitle', text: 'pages.reversedText' },
  partially_refunded: {
    tone: 'neutral',
    title: 'pages.partiallyRefundedTitle',
    text: 'pages.partiallyRefundedText',
  },
  refunded: { tone: 'neutral', title: 'pages.refundedTitle', text: 'pages.refundedText' },
  disputed: { tone: 'neutral', title: 'pages.disputedTitle', text: 'pages.disputedText' },
} as const satisfies Record<PaymentStatus, StatusContent>

/** The shop has cancelled the payment. Money may have come since, so the page does not say that nothing was taken. */
export const CHANGED_ORDER: StatusContent = {
  tone: 'neutral',
  title: 'pages.cancelledTitle',
  text: 'pages.changedText',
}

/** The buyer got everything back through a dispute. */
export const REVERSED_LOST: StatusContent = { ...STATUS_CONTENT.reversed, text: 'pages.reversedLostText' }

/** The time to pay has passed. It is not known yet whether money moved, so the page does not mention it. */
export const OVER: StatusContent = { tone: 'neutral', title: 'pages.expiredTitle', text: 'pages.expiredText' }

/** Why the provider declined, if it tells. A suspicion of fraud is worded as the bank's decision. */
const DECLINE_TEXTS: Record<NonNullable<Ended['declineCategory']>, PlainKey> = {
  ask_another_card: 'pages.declinedCard',
  try_later: 'pages.declinedLater',
  ask_bank: 'pages.declinedAskBank',
  fraud: 'pages.declinedAskBank',
  technical: 'pages.declinedTechnical',
}

/** The order that the buyer had begun was withdrawn. */
const LEFT: StatusContent = { ...OPEN, text: 'pages.leftText' }

/** The last attempt ended without money, and the payment can still be paid. */
export function tryAgainContent({ state, declineCategory }: Ended): StatusContent {
  if (state === 'withdrawn') return LEFT
  const content = { tone: 'bad', title: 'pages.failedTitle', control: 'pages.tryAgain' } as const
  if (state === 'refused') return { ...content, text: 'pages.againRefused', next: ['pages.nothingTaken'] }
  if (state === 'expired')
    return { ...content, tone: 'neutral', text: 'pages.againExpired', next: ['pages.nothingTaken'] }
  if (state !== 'declined' && state !== 'open')
    return { ...content, text: 'pages.againText', next: ['pages.nothingTaken'] }
  return {
    ...content,
    // In an open order the buyer may be paying in another window.
    ...(state === 'open' && { mayChange: 'soon' }),
    text: declineCategory ? DECLINE_TEXTS[declineCategory] : 'pages.againDeclined',
    next: NOTHING_TAKEN,
  }
}

/**
 * This payment took no money. The page does not say so of the order, because another payment of the order has taken money, or
 * may have taken it.
 */
export function paidElsewhere({ next = [], ...content }: StatusContent): StatusContent {
  const shown = next.filter((key) => !NOTHING_TAKEN.some((each) => each === key))
  return shown.length > 0 ? { ...content, next: shown } : content
}

/** The payment has failed for good. */
export function failedContent(declineCategory: Ended['declineCategory']): StatusContent {
  const content: StatusContent = STATUS_CONTENT.failed
  if (!declineCategory) return content
  return { ...content, text: DECLINE_TEXTS[declineCategory], next: ['pages.failedNext', ...NOTHING_TAKEN] }
}

/** The shop cannot be paid by this route now. The payment has not changed. */
export const UNAVAILABLE: StatusContent = {
  tone: 'waiting',
  title: 'pages.unavailableTitle',
  text: 'pages.routeNotReady',
  control: 'pages.tryAgain',
  next: ['pages.nothingTaken'],
}

/** The route that the buyer chose cannot be used now, and there are others. */
export const OTHER_WAY: StatusContent = {
  tone: 'waiting',
  title: 'pages.otherWayTitle',
  text: 'pages.otherWayText',
  control: 'pages.tryAgain',
  next: ['pages.nothingTaken'],
}

/** Shown while the bank has not answered, so there is no page to send the buyer to. */
export const PROCESSING: StatusContent = {
  tone: 'waiting',
  title: 'pages.processingTitle',
  text: 'pages.processingText',
  mayChange: 'soon',
}

/**
 * The buyer has approved, and the provider does not let the shop take the money now. It may still be taken, so the buyer should not pay
 * in another way.
 */
export const APPROVAL_STANDS: StatusContent = {
  tone: 'waiting',
  title: 'pages.approvedTitle',
  text: 'pages.approvedText',
  mayChange: 'soon',
  next: ['pages.approvedNextTried', 'pages.approvedNextTold'],
}

/** The buyer pays elsewhere, with what the provider gave. It may have been paid already, so the page says nothing of the money. */
const WAITS_ELSEWHERE: StatusContent = {
  tone: 'waiting',
  title: 'pages.waitsElsewhereTitle',
  text: 'pages.waitsElsewhereText',
  mayChange: 'person',
  next: ['pages.waitsElsewhereNext'],
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
  title: 'pages.manualTitle',
  text: 'pages.manualText',
  mayChange: 'person',
}

/** The same, if the account tells where the money goes. */
export const TRANSFER: StatusContent = { ...MANUAL, title: 'pages.transferTitle', text: 'pages.transferText' }

/** The order is not kept any more. The buyer may have sent the money already, so only a person ends the payment. */
const TRANSFER_OVER: StatusContent = {
  tone: 'neutral',
  title: 'pages.transferOverTitle',
  text: 'pages.transferOverText',
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
  title: 'pages.orderPaidTitle',
  text: 'pages.orderPaidText',
  control: 'pages.payAgain',
}

/** The same, if it is not known yet whether the other payment was paid. */
export const UNKNOWN_OTHERWISE: StatusContent = {
  tone: 'unsure',
  title: 'pages.orderUnknownTitle',
  text: 'pages.orderUnknownText',
  control: 'pages.payAgain',
}

/** A product for which this buyer has no payment yet. */
export const OFFER: StatusContent = {
  tone: 'open',
  title: 'pages.openTitle',
  text: 'pages.openText',
  control: 'pages.pay',
}
/** The buyer chooses how many. */
export const OFFER_EACH: StatusContent = { ...OFFER, title: 'pages.eachTitle' }
/** The buyer chooses the amount, so the page shows none. */
export const CHOOSE: StatusContent = { ...OFFER, title: 'pages.chooseTitle' }
