/**
 * What an attempt is: one order at a provider, opened for a payment. This file is the table of its states and decides what a
 * provider's answer makes of it. The database repeats the words, and a test compares the two.
 * Rule: at most one attempt of a payment can be paid at a time. A new one follows only a finished one.
 */
import type { LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { Attempt, AttemptState } from '../../storage/payments/attempt.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { type Meaning, moneyOf } from '../answer-meaning.ts'
import { hasStandingApproval, isPayable, isUnderWay, statusOf } from '../derived-status.ts'
import { findMismatch, seenOf, withinPayment } from '../entries/fit.ts'
import type { AttemptReport } from '../entries/movements.ts'
import { isOwn, knownOf } from '../own-attempt.ts'
import { AFTER_EXPIRY_MS } from '../question-schedule.ts'
import { canExpire, canMove, isOpen, OVER_UNPAID } from '../status.ts'

type StateRow = {
  /** The provider has, or may have, an order that a buyer can pay. */
  payable?: true
  /** The order ended without money, so another attempt may follow. */
  over?: true
}

const ATTEMPT_TABLE = {
  // No request for it has left.
  planned: {},
  // The provider is being told. After a crash it may have an order.
  opening: { payable: true },
  open: { payable: true },
  // The provider has held or taken money.
  paid: {},
  declined: { over: true },
  // The buyer gave up at the provider.
  cancelled: { over: true },
  // The provider's own time ran out, or nobody went on to the provider in time.
  expired: { over: true },
  // We ended the order.
  withdrawn: { over: true },
  // The provider has an order, and nobody has its address. It may still bring money, so it can become any of the other states.
  lost: { over: true },
  // The provider did not open an order.
  refused: { over: true },
} as const satisfies Record<AttemptState, StateRow>

export function mayHavePayableOrder(state: AttemptState): boolean {
  return 'payable' in ATTEMPT_TABLE[state]
}

export function isOverAttempt(state: AttemptState): boolean {
  return 'over' in ATTEMPT_TABLE[state]
}

/** Whether the provider has no order for it, and never had one. */
export function isUnopened(state: AttemptState): boolean {
  return state === 'planned' || state === 'refused'
}

/** What a look-up brings for people, kept with the attempt. */
export type AttemptFacts = Pick<
  Snapshot,
  | 'instrument'
  | 'providerTransactionId'
  | 'rrn'
  | 'approvalCode'
  | 'feeMinor'
  | 'declineCategory'
  | 'dispute'
  | 'inquiry'
  | 'detail'
  | 'approvalStands'
  | 'waitsElsewhere'
>

/** Returns whether the payment may still be tried again after its attempt has ended. */
export function mayTryAgain({ status, expiresAt, singleAttempt }: Payment, now: Date): boolean {
  return isOpen(status) && now < expiresAt && !singleAttempt
}

/**
 * Returns what the answer means for the payment, now that it may be tried again: a decline, and the bank's own time-out, end the
 * attempt, and the payment goes on.
 */
export function afterEndedAttempt(payment: Payment, meaning: Meaning, now: Date): Meaning {
  if (meaning.kind !== 'change' || !mayTryAgain(payment, now)) return meaning
  const { to, detail, money } = meaning.change
  if (to !== 'failed' && to !== 'expired') return meaning
  if (payment.status === 'pending_payment') return { kind: 'nothing' }
  const details = { ...(detail !== undefined && { detail }), ...(money && { money }) }
  return { kind: 'change', change: { to: 'pending_payment', cause: 'provider', ...details } }
}

/**
 * Returns the part of an answer that comes first. If the first that we hear of an open payment's money is that some of it is disputed
 * or was given back, it was taken before that, and each of the two is a change of its own. So are a refund that failed after all, and
 * the void of the money that this left.
 */
export function firstStepOf(payment: AttemptedPayment, answer: LookUpResult): LookUpResult {
  if (answer.kind !== 'found' || answer.snapshot.capturedMinor === 0) return answer
  if (isVoidAfterFailedRefund(payment, answer.snapshot))
    return { ...answer, snapshot: { ...answer.snapshot, order: 'completed' } }
  const { status } = payment
  const isDirect = canMove(status, statusOf(answer.snapshot), 'provider')
  if (!isDirect && isReturned(payment, answer.snapshot))
    return { ...answer, snapshot: withoutReturns(payment, answer.snapshot) }
  if (isDirect || !canExpire(status) || findMismatch(payment, answer.snapshot) !== null) return answer
  const { dispute: _, refunds: __, ...taken } = answer.snapshot
  const nothing = { refundedMinor: 0, refundPendingMinor: 0, disputeLostMinor: 0 }
  return { ...answer, snapshot: { ...taken, ...nothing, order: 'completed' } }
}

/**
 * Whether money that was returned by refunds is now returned by a dispute, or the other way round. There is no change from the one to
 * the other: what failed or was won comes first, and what was lost or refunded since comes after it.
 */
function isReturned(payment: AttemptedPayment, snapshot: Snapshot): boolean {
  const { status, attempt } = payment
  if (!isOwn(payment) || snapshot.order !== 'completed' || findMismatch(payment, snapshot) !== null)
    return false
  const { disputeLostMinor = 0 } = snapshot
  if (status === 'refunded') return statusOf(snapshot) === 'reversed' && disputeLostMinor > 0
  return status === 'reversed' && disputeLostMinor < attempt.disputeLostMinor
}

/** Returns the snapshot with the returns that were known before, as far as they are still valid. */
function withoutReturns({ attempt, status }: AttemptedPayment, snapshot: Snapshot): Snapshot {
  const { dispute: _, disputeLostMinor = 0, ...rest } = snapshot
  const refundedMinor = Math.min(snapshot.refundedMinor, attempt.refundedMinor - attempt.disputeLostMinor)
  const lostMinor = Math.min(disputeLostMinor, attempt.disputeLostMinor)
  // The money of a lost dispute first counts as paid again, and only then as refunded.
  if (status === 'reversed') return { ...rest, refundedMinor: 0, disputeLostMinor: 0 }
  return { ...rest, refundedMinor, disputeLostMinor: lostMinor }
}

function isVoidAfterFailedRefund(payment: AttemptedPayment, snapshot: Snapshot): boolean {
  const { refundedMinor, disputeLostMinor } = payment.attempt
  const isFallen = snapshot.refundedMinor < refundedMinor - disputeLostMinor
  return isOwn(payment) && isFallen && snapshot.order === 'voided' && statusOf(snapshot) === 'reversed'
}

/** The sums of an attempt without money. */
export const NO_MONEY = {
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  disputedMinor: 0,
  disputeLostMinor: 0,
  underWaySince: null,
}

/**
 * What is stored of an answer; null if it says nothing about the attempt. `withdrawn`: we have just ended the order.
 */
export function attemptAfter(
  payment: AttemptedPayment,
  answer: LookUpResult,
  { withdrawn, now }: { withdrawn: boolean; now: Date },
): AttemptReport | null {
  const { attempt } = payment
  const { state: from, underWaySince } = attempt
  // An approval lapses at the provider. Without an approval, a missing order does not end work that is under way.
  const isWorkedOn = underWaySince !== null && !hasStandingApproval(attempt)
  if (answer.kind === 'not_found' && !isWorkedOn && isForgotten(payment, now))
    return { from, state: 'expired', ...NO_MONEY, facts: null, details: {} }
  if (answer.kind !== 'found') return null
  const { snapshot } = withinPayment(payment, answer.snapshot)
  if (findMismatch(payment, snapshot) !== null) return null
  const state = isOpened(payment, snapshot, now) ? 'open' : stateAfter(from, snapshot, withdrawn)
  // The buyer of an open order may have tried another card since, so an earlier decline is removed. If the provider's work has ended,
  // the note that it was still working is removed too.
  const mayHaveEnded = state === 'open' || underWaySince !== null
  const nothing = mayHaveEnded && attempt.facts !== null ? {} : null
  return {
    from,
    state,
    ...moneyOf(snapshot, knownOf(payment)),
    facts: factsOf(snapshot) ?? nothing,
    underWaySince: isUnderWay(snapshot) ? (underWaySince ?? now) : null,
    details: {
      refunds: snapshot.refunds,
      transactionId: snapshot.providerTransactionId,
      takenAt: snapshot.capturedAt,
      lostElsewhere: answer.snapshot.lostElsewhere,
    },
    totals: seenOf(answer.snapshot),
  }
}

/** If the provider did not say whether there are disputes, the attempt keeps its dispute, and the money that a lost dispute took. */
export function withKnownDisputes(snapshot: Snapshot, payment: AttemptedPayment): Snapshot {
  if (!snapshot.disputesUnknown) return snapshot
  const { disputedMinor, disputeLostMinor, facts } = payment.attempt
  const { dispute } = (facts ?? {}) as AttemptFacts
  const isDisputed = disputedMinor > 0 || (payment.status === 'disputed' && isOwn(payment))
  return {
    ...snapshot,
    ...(disputeLostMinor > 0 && { disputeLostMinor }),
    ...(isDisputed && { dispute: { ...dispute, amountMinor: disputedMinor || payment.amountMinor } }),
  }
}

type Opening = Pick<Payment, 'expiresAt'> & { attempt: Pick<Attempt, 'state' | 'expiresAt'> }

/** Some providers forget an order when its time is over, and never say that it expired. */
function isForgotten(payment: Opening, now: Date): boolean {
  return (
    isTooLateToOpen(payment, now) || (payment.attempt.state === 'open' && now >= payment.attempt.expiresAt)
  )
}

/** A call that opened the order may have lost its answer. After the expiry nobody goes on with it, so the provider's word counts. */
function isOpened(payment: Opening, snapshot: Snapshot, now: Date): boolean {
  return isTooLateToOpen(payment, now) && isPayable(snapshot)
}

/** No order is opened after the expiry, and a call that began before the expiry has ended by now. */
function isTooLateToOpen({ attempt, expiresAt }: Opening, now: Date): boolean {
  return attempt.state === 'opening' && now.getTime() >= expiresAt.getTime() + AFTER_EXPIRY_MS
}

function stateAfter(before: AttemptState, snapshot: Snapshot, withdrawn: boolean): AttemptState {
  const { order } = snapshot
  if (hasMoney(snapshot)) return 'paid'
  // An attempt that ended stays as it ended, whatever the provider calls it later. A lost order has not ended there yet.
  if ((isOverAttempt(before) && before !== 'lost') || before === 'paid') return before
  if (order === 'expired' && withdrawn) return 'withdrawn'
  return order === 'declined' || order === 'cancelled' || order === 'expired' ? order : before
}

/** Returns whether the provider says that it held or took money, also where it has given it back since. */
export function hasMoney(snapshot: Snapshot): boolean {
  const status = statusOf(snapshot)
  if (OVER_UNPAID.includes(status)) return false
  return snapshot.authorizedMinor > 0 || snapshot.capturedMinor > 0 || status === 'reversed'
}

const FACTS = [
  'instrument',
  'providerTransactionId',
  'rrn',
  'approvalCode',
  'feeMinor',
  'declineCategory',
  'dispute',
  'inquiry',
  'detail',
  'approvalStands',
  'waitsElsewhere',
] as const satisfies (keyof AttemptFacts)[]

function factsOf(snapshot: Snapshot): AttemptFacts | null {
  const known = FACTS.flatMap((name) => (snapshot[name] === undefined ? [] : [[name, snapshot[name]]]))
  return known.length > 0 ? Object.fromEntries(known) : null
}
