/**
 * Decides what a provider's answer means for a payment. The provider's amounts count more than its status name. An answer counts
 * only if it carries our reference, amount and currency. This file calls no provider and writes nothing.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { LookUpResult, Snapshot } from '../providers/driver.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { AFTER_EXPIRY_MS } from './question-schedule.ts'
import { canExpire, canMove, isOpen, OVER_UNPAID } from './status.ts'
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
export function interpret(payment: PaymentRecord, answer: LookUpResult, now: Date): Meaning {
  if (answer.kind === 'unavailable') return NOTHING
  const overdue = now >= payment.expiresAt && canExpire(payment.status)
  if (answer.kind === 'not_found') return overdue ? expiryOf(payment) : NOTHING
  const { snapshot } = answer
  const status = statusOf(snapshot)
  // The buyer has not chosen anything at the provider yet, so the amounts of this order mean nothing.
  if (NOT_STARTED.includes(status))
    return isUnpaid(payment) ? (overdue ? expiryOf(payment) : NOTHING) : contradiction(payment, status)
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) return doubt(payment, mismatch)
  if (status === 'pending_payment') return stillPending(payment, snapshot, now)
  return asChange(payment, fromSnapshot(snapshot))
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
  return OVER_UNPAID.includes(payment.status) ? NOTHING : asChange(payment, fromSnapshot(snapshot))
}

function asChange(payment: PaymentRecord, change: Change): Meaning {
  if (isApplied(payment, change)) return NOTHING
  // The order is over at both ends, and nobody has paid: which word each has for it does not matter.
  if (OVER_UNPAID.includes(payment.status) && OVER_UNPAID.includes(change.to)) return NOTHING
  return canMove(payment.status, change.to, change.cause)
    ? { kind: 'change', change }
    : contradiction(payment, change.to)
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
  return { kind: 'change', change: { to: 'status_unknown', cause: 'provider', detail } }
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
export function fromSnapshot(snapshot: Snapshot): Change {
  const { authorizedMinor, capturedMinor, refundedMinor, detail } = snapshot
  // Some providers report only the uncaptured rest as authorized. Captured money was authorized before, so count it here too.
  const money = { authorizedMinor: Math.max(authorizedMinor, capturedMinor), capturedMinor, refundedMinor }
  return { to: statusOf(snapshot), cause: 'provider', money, ...(detail !== undefined && { detail }) }
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
