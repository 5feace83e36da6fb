/**
 * Decides what a provider's answer means for a payment. The provider's amounts count more than its status name. An answer counts
 * only if it carries our reference, amount and currency, and if the money that the provider took or holds is the whole amount.
 * This file calls no provider and writes nothing.
 */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { LookUpResult, Snapshot } from '../providers/driver.ts'
import { listPaymentOperations } from '../storage/payments/operations.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { findForgotten } from './named-refund.ts'
import { AFTER_EXPIRY_MS } from './question-schedule.ts'
import { canExpire, canMove, findUnnamedFall, isOpen, OVER_UNPAID, type Sums } from './status.ts'
import type { Change } from './transition.ts'

/** `warn`: the payment cannot become what the provider says. The payment does not change, and an operator should look. */
export type Meaning =
  | { kind: 'nothing' }
  | { kind: 'change'; change: Change }
  | { kind: 'warn'; detail: string }

const NOTHING: Meaning = { kind: 'nothing' }
const NOT_STARTED: readonly PaymentStatus[] = ['created', 'pending_redirect']
/** These status names claim that the provider has authorized or captured money. */
const WITH_MONEY: readonly PaymentStatus[] = ['authorized', 'paid', 'partially_refunded', 'refunded']
/** These status names count more than the amounts. */
const NAME_DECIDES: readonly PaymentStatus[] = ['reversed', 'disputed', 'status_unknown']

/** Returns what an answer means for this payment in its current state. */
export async function meaningOf(
  ctx: Context,
  payment: PaymentRecord,
  answer: LookUpResult,
): Promise<Meaning> {
  const forgotten = answer.kind === 'found' ? await findForgotten(ctx, payment, answer.snapshot) : null
  if (forgotten) return { kind: 'warn', detail: forgotten }
  const isShort = answer.kind === 'found' && findShortfall(payment, answer.snapshot, null) !== null
  const toldCaptureMinor = isShort ? await findToldCapture(ctx, payment) : null
  return interpret(payment, answer, ctx.clock.now(), toldCaptureMinor)
}

/** Returns the amount of the latest capture that the provider was told of, unless it failed. Null if there is none. */
async function findToldCapture(ctx: Context, { merchantId, id }: PaymentRecord): Promise<number | null> {
  const operations = await listPaymentOperations(ctx.db, merchantId, id)
  const told = operations.findLast(
    ({ type, status, toldAt }) => type === 'capture' && status !== 'failed' && toldAt !== null,
  )
  return told?.amountMinor ?? null
}

function interpret(
  payment: PaymentRecord,
  answer: LookUpResult,
  now: Date,
  toldCaptureMinor: number | null,
): Meaning {
  if (answer.kind === 'unavailable') return NOTHING
  const overdue = now >= payment.expiresAt && canExpire(payment.status)
  if (answer.kind === 'not_found') return overdue ? expiryOf(payment) : NOTHING
  const { snapshot } = answer
  const status = statusOf(snapshot)
  // The buyer has not chosen anything at the provider yet, so the amounts of this order mean nothing.
  if (NOT_STARTED.includes(status))
    return isUnpaid(payment) ? (overdue ? expiryOf(payment) : NOTHING) : contradiction(payment, status)
  const mismatch = findMismatch(payment, snapshot) ?? findShortfall(payment, snapshot, toldCaptureMinor)
  if (mismatch) return doubt(payment, mismatch)
  if (snapshot.disputesUnknown && mayBeDisputed(payment, snapshot)) return NOTHING
  if (status === 'pending_payment') return stillPending(payment, snapshot, now)
  return asChange(payment, fromSnapshot(payment, snapshot))
}

const BY_DISPUTE: readonly PaymentStatus[] = ['disputed', 'reversed']

/** Without the provider's word on disputes, a payment keeps its dispute, and the money that a lost dispute took. */
function mayBeDisputed({ status, refundedMinor }: PaymentRecord, snapshot: Snapshot): boolean {
  return BY_DISPUTE.includes(status) || snapshot.refundedMinor < refundedMinor
}

/** What a payment becomes at its expiry: `failed` if its last attempt was declined. */
export function expiryOf({ attemptState }: Pick<PaymentRecord, 'attemptState'>): Meaning {
  const to = attemptState === 'declined' ? 'failed' : 'expired'
  return {
    kind: 'change',
    change: { to, cause: 'expiry', detail: 'expired; the provider reports no money' },
  }
}

/** Returns whether no money has been reported for the payment yet. */
function isUnpaid({ status }: PaymentRecord): boolean {
  return isOpen(status) || OVER_UNPAID.includes(status)
}

function stillPending(payment: PaymentRecord, snapshot: Snapshot, now: Date): Meaning {
  const end = payment.expiresAt.getTime()
  if (canExpire(payment.status) && now.getTime() >= end + AFTER_EXPIRY_MS) return expiryOf(payment)
  if (!isUnpaid(payment)) return contradiction(payment, 'pending_payment')
  return OVER_UNPAID.includes(payment.status) ? NOTHING : asChange(payment, fromSnapshot(payment, snapshot))
}

function asChange(payment: PaymentRecord, change: Change): Meaning {
  if (isApplied(payment, change)) return NOTHING
  // The order is over at both ends, and nobody has paid: which word each has for it does not matter.
  if (OVER_UNPAID.includes(payment.status) && OVER_UNPAID.includes(change.to)) return NOTHING
  if (!canMove(payment.status, change.to, change.cause)) return contradiction(payment, change.to)
  const fallen = findUnnamedFall(payment, { ...payment, ...change.money, ...change })
  if (fallen)
    return { kind: 'warn', detail: `the provider says ${change.to} with a smaller ${fallen} sum than before` }
  return { kind: 'change', change }
}

function isApplied(payment: PaymentRecord, { to, money }: Change): boolean {
  if (payment.status !== to) return false
  // For these two statuses the amounts do not matter.
  if (to === 'status_unknown' || to === 'reversed') return true
  const { authorizedMinor, capturedMinor, refundedMinor } = money ?? payment
  return (
    payment.authorizedMinor === authorizedMinor &&
    payment.capturedMinor === capturedMinor &&
    payment.refundedMinor === refundedMinor
  )
}

function contradiction({ status }: PaymentRecord, reported: PaymentStatus): Meaning {
  if (status === reported)
    return { kind: 'warn', detail: `the provider says ${reported} with other amounts than before` }
  return { kind: 'warn', detail: `the provider says ${reported}, which cannot follow ${status}` }
}

/** Makes the payment unknown where the status table allows that, and warns otherwise. */
function doubt({ status }: PaymentRecord, detail: string): Meaning {
  if (status === 'status_unknown') return NOTHING
  if (!canMove(status, 'status_unknown', 'provider')) return { kind: 'warn', detail }
  return { kind: 'change', change: { to: 'status_unknown', cause: 'provider', detail, warning: detail } }
}

/** Returns the status that follows from the provider's amounts, or the provider's own status name if the amounts are zero. */
export function statusOf({ status, authorizedMinor, capturedMinor, refundedMinor }: Snapshot): PaymentStatus {
  if (NAME_DECIDES.includes(status)) return status
  if (capturedMinor > 0) {
    if (refundedMinor === 0) return 'paid'
    return refundedMinor < capturedMinor ? 'partially_refunded' : 'refunded'
  }
  return authorizedMinor > 0 && !OVER_UNPAID.includes(status) ? 'authorized' : status
}

/** Returns the payment change that a provider's snapshot asks for. */
export function fromSnapshot(payment: PaymentRecord, snapshot: Snapshot): Change {
  const to = statusOf(snapshot)
  const money = sumsOf(payment, to, snapshot)
  const { refunds } = snapshot
  const fallMinor = payment.refundedMinor - money.refundedMinor
  const detail = fallMinor > 0 ? `a refund of ${fallMinor} failed after all` : snapshot.detail
  return {
    to,
    cause: 'provider',
    money,
    ...(detail !== undefined && { detail }),
    ...(refunds && { refunds }),
  }
}

function sumsOf(payment: PaymentRecord, to: PaymentStatus, snapshot: Snapshot): Sums {
  const { authorizedMinor, capturedMinor, refundedMinor } = snapshot
  // Some providers report only the uncaptured rest as authorized. Captured money was authorized before, so count it here too.
  const heldMinor = Math.max(authorizedMinor, capturedMinor)
  // Some providers report no amounts any more, once money is disputed or taken back.
  if (NAME_DECIDES.includes(to))
    return {
      authorizedMinor: Math.max(heldMinor, payment.authorizedMinor),
      capturedMinor: Math.max(capturedMinor, payment.capturedMinor),
      refundedMinor: Math.max(refundedMinor, payment.refundedMinor),
    }
  const isTaken = capturedMinor > 0
  return {
    authorizedMinor: isTaken ? Math.max(heldMinor, payment.authorizedMinor) : heldMinor,
    capturedMinor,
    refundedMinor,
  }
}

/**
 * Returns why the money is not the whole amount; null if it is. A captured sum may be smaller only if the payment has it already,
 * or if a capture of ours asked for it.
 */
export function findShortfall(
  { amountMinor, capturedMinor: knownMinor }: PaymentRecord,
  snapshot: Snapshot,
  toldCaptureMinor: number | null,
): string | null {
  const status = statusOf(snapshot)
  const { authorizedMinor, capturedMinor } = snapshot
  if (status === 'authorized' && authorizedMinor !== amountMinor)
    return `the provider holds only ${authorizedMinor} of ${amountMinor}`
  if (status === 'reversed' || capturedMinor === 0) return null
  return [amountMinor, knownMinor, toldCaptureMinor].includes(capturedMinor)
    ? null
    : `the provider took only ${capturedMinor} of ${amountMinor}`
}

/** Returns why a snapshot must not be applied: another reference, amount or currency, or impossible amounts. Null if it may. */
export function findMismatch(payment: PaymentRecord, snapshot: Snapshot): string | null {
  const { authorizedMinor, capturedMinor, refundedMinor, amountMinor } = snapshot
  if (snapshot.reference !== payment.providerReference) return 'the provider answered for another reference'
  if (snapshot.currency !== payment.currency) return `the provider answered in ${snapshot.currency}`
  if (amountMinor !== payment.amountMinor) return `the provider answered with amount ${amountMinor}`
  const rising = [0, refundedMinor, capturedMinor, Math.max(authorizedMinor, capturedMinor), amountMinor]
  if (rising.some((amount, index) => amount < (rising[index - 1] ?? 0)))
    return `the provider's amounts do not add up: ${authorizedMinor} authorized, ${capturedMinor} captured, ${refundedMinor} refunded`
  if (WITH_MONEY.includes(snapshot.status) && authorizedMinor === 0 && capturedMinor === 0)
    return `the provider says ${snapshot.status}, but reports no money`
  return null
}
