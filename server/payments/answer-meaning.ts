/**
 * Decides what a provider's answer means for a payment. An answer counts only if it carries our reference, amount and currency, and
 * if the money that the provider took or holds is the whole amount. This file calls no provider and writes nothing.
 */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { LookUpResult, Snapshot } from '../providers/driver.ts'
import type { AttemptSums } from '../storage/payments/entries.ts'
import type { AttemptedPayment, Payment } from '../storage/payments/payment.ts'
import { hasStandingApproval, isUnderWay, statusOf } from './derived-status.ts'
import { findMismatch, withinPayment } from './entries/fit.ts'
import { findForgotten } from './named-refund.ts'
import { findSentCapture } from './operation.ts'
import { type Known, knownOf } from './own-attempt.ts'
import { AFTER_EXPIRY_MS, UNDER_WAY_MAX_MS } from './question-schedule.ts'
import { canExpire, canMove, findUnnamedFall, isOpen, OVER_UNPAID, sameSums } from './status.ts'
import type { Change } from './transition.ts'

/**
 * `warn`: the payment cannot become what the provider says. The payment does not change, and an operator should look. `isOlder`: the
 * answer takes back what the provider has proven before, so its amounts prove nothing new.
 */
export type Meaning =
  | { kind: 'nothing' }
  | { kind: 'change'; change: Change }
  | { kind: 'warn'; detail: string; isOlder?: true }

const NOTHING: Meaning = { kind: 'nothing' }
/** In these the provider may report less money than it has reported before. */
const MAY_BE_SILENT: readonly PaymentStatus[] = ['reversed', 'disputed', 'status_unknown']

/** Returns what an answer means for this payment in its current state. */
export async function meaningOf(
  ctx: Context,
  payment: AttemptedPayment,
  answer: LookUpResult,
): Promise<Meaning> {
  if (answer.kind !== 'found') return interpret(payment, answer, ctx.clock.now(), null)
  const forgotten = await findForgotten(ctx, payment, answer.snapshot)
  if (forgotten) return { kind: 'warn', detail: forgotten, isOlder: true }
  const { snapshot, excess } = withinPayment(payment, answer.snapshot)
  const isShort = findShortfall(payment, snapshot, null) !== null
  const sentCaptureMinor = isShort ? await findSentCapture(ctx, payment) : null
  const meaning = interpret(payment, { ...answer, snapshot }, ctx.clock.now(), sentCaptureMinor)
  if (!excess) return meaning
  return meaning.kind === 'change'
    ? { kind: 'change', change: { ...meaning.change, warning: excess } }
    : { ...meaning, kind: 'warn', detail: excess }
}

function interpret(
  payment: AttemptedPayment,
  answer: LookUpResult,
  now: Date,
  sentCaptureMinor: number | null,
): Meaning {
  // A missing order does not end work that is under way. But an approval lapses.
  const isLapsed = answer.kind === 'not_found' && hasStandingApproval(payment.attempt)
  if (answer.kind !== 'found' && payment.attempt.underWaySince && !isLapsed)
    return endOfWait('under_way', payment, now) ?? NOTHING
  if (answer.kind === 'unavailable') return NOTHING
  if (answer.kind === 'not_found') return endOfWait('not_started', payment, now) ?? NOTHING
  const { snapshot } = answer
  const status = statusOf(snapshot)
  // The buyer has not chosen anything at the provider yet, so the amounts of this order mean nothing.
  if (status === 'pending_redirect')
    return isUnpaid(payment)
      ? (endOfWait('not_started', payment, now) ?? NOTHING)
      : contradiction(payment, status)
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) return doubt(payment, mismatch)
  const shortfall = findShortfall(payment, snapshot, sentCaptureMinor)
  if (shortfall) return doubt(payment, shortfall, snapshot)
  // Money that a lost dispute took does not count as returned until the provider reports the state of the dispute.
  if (snapshot.disputesUnknown && payment.status === 'reversed') return NOTHING
  if (status === 'pending_payment') return stillPending(payment, snapshot, now)
  return asChange(payment, fromSnapshot(payment, snapshot))
}

/** Returns whether no money has been reported for the payment yet. */
function isUnpaid({ status }: Payment): boolean {
  return isOpen(status) || OVER_UNPAID.includes(status)
}

function stillPending(payment: AttemptedPayment, snapshot: Snapshot, now: Date): Meaning {
  const end = endOfWait(isUnderWay(snapshot) ? 'under_way' : 'reached', payment, now)
  if (end) return end
  if (!isUnpaid(payment)) return contradiction(payment, 'pending_payment')
  return OVER_UNPAID.includes(payment.status) ? NOTHING : asChange(payment, fromSnapshot(payment, snapshot))
}

/** How long an open payment waits for the money of such an order: since its expiry, or since the provider works on it. */
const WAITS_MS = { not_started: 0, reached: AFTER_EXPIRY_MS, under_way: UNDER_WAY_MAX_MS } as const

function endOfWait(order: keyof typeof WAITS_MS, payment: AttemptedPayment, now: Date): Meaning | null {
  const { status, expiresAt, attempt } = payment
  const { underWaySince } = attempt
  const isWorking = order === 'under_way'
  const since = isWorking ? (underWaySince ?? now) : expiresAt
  if (now.getTime() - since.getTime() < WAITS_MS[order]) return null
  // A payment that is under way never ends by our clock. A person decides.
  if (isWorking && isOpen(status)) return doubt(payment, 'the provider has not decided after 30 days')
  if (isWorking || !canExpire(status)) return null
  const to = payment.attempt.state === 'declined' ? 'failed' : 'expired'
  const change = { to, cause: 'expiry', detail: 'expired; the provider reports no money' } as const
  return { kind: 'change', change }
}

function asChange(payment: Payment, change: Change): Meaning {
  if (isApplied(payment, change)) return NOTHING
  // The order is over at both ends, and nobody has paid: which word each has for it does not matter.
  if (OVER_UNPAID.includes(payment.status) && OVER_UNPAID.includes(change.to)) return NOTHING
  if (!canMove(payment.status, change.to, change.cause)) return contradiction(payment, change.to)
  const fallen = findUnnamedFall(payment, { ...payment, ...change.money, ...change })
  if (fallen)
    return {
      kind: 'warn',
      detail: `the provider says ${change.to} with a smaller ${fallen} sum than before`,
      isOlder: true,
    }
  return { kind: 'change', change }
}

function isApplied(payment: Payment, { to, money }: Change): boolean {
  if (payment.status !== to) return false
  // A payment that was given back is over, however its amounts are reported.
  return to === 'reversed' || sameSums(payment, money ?? payment)
}

function contradiction({ status }: Payment, reported: PaymentStatus): Meaning {
  if (status === reported)
    return { kind: 'warn', detail: `the provider says ${reported} with other amounts than before` }
  return { kind: 'warn', detail: `the provider says ${reported}, which cannot follow ${status}` }
}

/**
 * Makes the payment unknown where the status table allows that, and warns otherwise. `short`: the answer is about this payment, and
 * its money, which is not the whole amount, is shown.
 */
function doubt(payment: AttemptedPayment, detail: string, short?: Snapshot): Meaning {
  const to = 'status_unknown'
  if (!canMove(payment.status, to, 'provider')) return { kind: 'warn', detail }
  const { authorizedMinor, capturedMinor, refundedMinor } = short
    ? moneyOf({ ...short, order: 'unclear' }, knownOf(payment))
    : payment
  const money = { authorizedMinor, capturedMinor, refundedMinor }
  if (payment.status === to && sameSums(payment, money)) return NOTHING
  return { kind: 'change', change: { to, cause: 'provider', detail, warning: detail, money } }
}

/** Returns the payment change that a provider's snapshot asks for. */
export function fromSnapshot(payment: AttemptedPayment, snapshot: Snapshot): Change {
  const { disputeLostMinor: lostMinor, disputedMinor: _, ...money } = moneyOf(snapshot, knownOf(payment))
  const { refunds } = snapshot
  const fallMinor =
    payment.refundedMinor - payment.attempt.disputeLostMinor - (money.refundedMinor - lostMinor)
  const wonMinor = lostMinor - payment.attempt.disputeLostMinor
  const detail =
    fallMinor > 0
      ? `a refund of ${fallMinor} failed after all`
      : wonMinor > 0
        ? `the buyer won ${wonMinor} in a dispute`
        : snapshot.detail
  return {
    to: statusOf(snapshot),
    cause: 'provider',
    money,
    ...(detail !== undefined && { detail }),
    ...(refunds && { refunds }),
  }
}

const NOTHING_LEFT = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0, disputeLostMinor: 0 }

/** Money as a payment and its attempt store it. `disputeLostMinor` is a part of `refundedMinor`. */
export type Money = AttemptSums

/**
 * Returns the money after a provider's answer. A void leaves nothing captured. What a buyer won in disputes counts as returned,
 * and no more is returned or disputed than was captured.
 */
export function moneyOf(snapshot: Snapshot, known: Known): Money {
  const to = statusOf(snapshot)
  const { authorizedMinor, refundedMinor, dispute } = snapshot
  const isByName = MAY_BE_SILENT.includes(to)
  // Some providers report no amounts any more, once money is disputed or taken back.
  const isSilent = isByName && snapshot.capturedMinor === 0
  const capturedMinor = Math.max(snapshot.capturedMinor, isByName ? known.capturedMinor : 0)
  // Some providers report only the uncaptured rest as authorized. Captured money was authorized before, so count it here too. An
  // order that ended without money holds none.
  const heldMinor = OVER_UNPAID.includes(to) ? 0 : Math.max(authorizedMinor, capturedMinor)
  const money = {
    authorizedMinor: isByName || capturedMinor > 0 ? Math.max(heldMinor, known.authorizedMinor) : heldMinor,
    capturedMinor,
    disputedMinor: 0,
  }
  const givenMinor = isSilent ? known.refundedMinor - known.disputeLostMinor : refundedMinor
  const reportedLostMinor = isSilent ? known.disputeLostMinor : (snapshot.disputeLostMinor ?? 0)
  const lostMinor = Math.min(reportedLostMinor, capturedMinor - givenMinor)
  const returnedMinor = givenMinor + lostMinor
  if (to === 'reversed') {
    const isVoid = returnedMinor === 0 && known.refundedMinor === 0 && known.status !== 'disputed'
    if (isVoid) return { ...money, ...NOTHING_LEFT }
    return { ...money, refundedMinor: capturedMinor, disputeLostMinor: capturedMinor - givenMinor }
  }
  const leftMinor = capturedMinor - returnedMinor
  return {
    ...money,
    refundedMinor: returnedMinor,
    disputeLostMinor: lostMinor,
    disputedMinor: Math.min(dispute?.amountMinor ?? 0, leftMinor),
  }
}

/**
 * Returns why the money is not the whole amount; null if it is. A captured sum may be smaller only if the payment was paid with it,
 * or if a capture of ours asked for it.
 */
export function findShortfall(
  { amountMinor, status: known, capturedMinor: knownMinor }: Payment,
  snapshot: Snapshot,
  sentCaptureMinor: number | null,
): string | null {
  const status = statusOf(snapshot)
  const { authorizedMinor, capturedMinor } = snapshot
  if (status === 'authorized' && authorizedMinor !== amountMinor)
    return `the provider holds only ${authorizedMinor} of ${amountMinor}`
  if (status === 'reversed' || capturedMinor === 0) return null
  const paidMinor = known === 'status_unknown' ? null : knownMinor
  return [amountMinor, paidMinor, sentCaptureMinor].includes(capturedMinor)
    ? null
    : `the provider took only ${capturedMinor} of ${amountMinor}`
}
