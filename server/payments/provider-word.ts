/**
 * What a provider's answer means for a payment: its amounts outrank its names, and its word counts only for our reference,
 * amount and currency. Nothing is asked and nothing is written here.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { LookUpResult, Snapshot } from '../providers/driver.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { canExpire, canMove, isOpen, OVER_UNPAID } from './status.ts'
import type { Change } from './transition.ts'

/** `warn`: it fits nothing that this payment can become; nobody's money moves for it, and a person should look. */
export type Meaning =
  | { kind: 'nothing' }
  | { kind: 'change'; change: Change }
  | { kind: 'warn'; detail: string }

const NOTHING: Meaning = { kind: 'nothing' }
const NOT_STARTED: readonly PaymentStatus[] = ['created', 'pending_redirect']
/** Names that say of money that it was taken. */
const TAKEN: readonly PaymentStatus[] = ['authorized', 'paid', 'partially_refunded', 'refunded']
/** Names that stay, whatever the amounts are. */
const APART: readonly PaymentStatus[] = ['reversed', 'disputed', 'status_unknown']

/** What an answer means for this payment as it is. */
export function interpret(payment: PaymentRecord, answer: LookUpResult, now: Date): Meaning {
  if (answer.kind === 'unavailable') return NOTHING
  const overdue = now >= payment.expiresAt && canExpire(payment.status)
  if (answer.kind === 'not_found') return overdue ? EXPIRY : NOTHING
  const { snapshot } = answer
  const status = statusOf(snapshot)
  // The buyer has not been there: an order without a choice says nothing of money, whatever it says of amounts.
  if (NOT_STARTED.includes(status))
    return isWaiting(payment) ? (overdue ? EXPIRY : NOTHING) : contradiction(payment, status)
  const doubt = findMismatch(payment, snapshot)
  if (doubt) return inDoubt(payment, doubt)
  if (status === 'pending_payment') return stillPending(payment, snapshot, overdue)
  return asChange(payment, fromSnapshot(snapshot))
}

const EXPIRY: Meaning = {
  kind: 'change',
  change: { to: 'expired', cause: 'expiry', detail: 'expired; the provider has no money for it' },
}

/** No money has been seen of it yet. */
function isWaiting({ status }: PaymentRecord): boolean {
  return isOpen(status) || OVER_UNPAID.includes(status)
}

function stillPending(payment: PaymentRecord, snapshot: Snapshot, overdue: boolean): Meaning {
  if (overdue) return EXPIRY
  if (!isWaiting(payment)) return contradiction(payment, 'pending_payment')
  return OVER_UNPAID.includes(payment.status) ? NOTHING : asChange(payment, fromSnapshot(snapshot))
}

function asChange(payment: PaymentRecord, change: Change): Meaning {
  if (isThere(payment, change)) return NOTHING
  return canMove(payment.status, change.to, change.cause)
    ? { kind: 'change', change }
    : contradiction(payment, change.to)
}

function isThere(payment: PaymentRecord, { to, money }: Change): boolean {
  if (payment.status !== to) return false
  // While it is unclear, and once it is reversed, amounts add nothing.
  if (to === 'status_unknown' || to === 'reversed') return true
  const { authorizedMinor, capturedMinor, refundedMinor } = money ?? payment
  return (
    payment.authorizedMinor === authorizedMinor &&
    payment.capturedMinor === capturedMinor &&
    payment.refundedMinor === refundedMinor
  )
}

function contradiction({ status }: PaymentRecord, said: PaymentStatus): Meaning {
  if (status === said)
    return { kind: 'warn', detail: `the provider says ${said} with other amounts than before` }
  return { kind: 'warn', detail: `the provider says ${said}, which does not follow on ${status}` }
}

function inDoubt({ status }: PaymentRecord, detail: string): Meaning {
  if (status === 'status_unknown') return NOTHING
  if (!canMove(status, 'status_unknown', 'provider')) return { kind: 'warn', detail }
  return { kind: 'change', change: { to: 'status_unknown', cause: 'provider', detail } }
}

/** Where the provider's amounts put the payment; its own name where they say nothing. */
export function statusOf({ status, authorizedMinor, capturedMinor, refundedMinor }: Snapshot): PaymentStatus {
  if (APART.includes(status)) return status
  if (capturedMinor > 0) {
    if (refundedMinor === 0) return 'paid'
    return refundedMinor < capturedMinor ? 'partially_refunded' : 'refunded'
  }
  return authorizedMinor > 0 && !OVER_UNPAID.includes(status) ? 'authorized' : status
}

/** The provider's word as a change of ours. */
export function fromSnapshot(snapshot: Snapshot): Change {
  const { authorizedMinor, capturedMinor, refundedMinor, detail } = snapshot
  // A provider may count only what is still held; what was captured had been authorized.
  const money = { authorizedMinor: Math.max(authorizedMinor, capturedMinor), capturedMinor, refundedMinor }
  return { to: statusOf(snapshot), cause: 'provider', money, ...(detail !== undefined && { detail }) }
}

/** A provider's word counts only for our reference, amount and currency, and if its amounts can be true. */
export function findMismatch(payment: PaymentRecord, snapshot: Snapshot): string | null {
  const { authorizedMinor, capturedMinor, refundedMinor, amountMinor } = snapshot
  if (snapshot.reference !== payment.providerReference) return 'the provider answered for another reference'
  if (snapshot.currency !== payment.currency) return `the provider answered in ${snapshot.currency}`
  if (amountMinor !== payment.amountMinor) return `the provider answered with amount ${amountMinor}`
  const rising = [0, refundedMinor, capturedMinor, Math.max(authorizedMinor, capturedMinor), amountMinor]
  if (rising.some((amount, at) => amount < (rising[at - 1] ?? 0)))
    return `the provider's amounts do not add up: ${authorizedMinor} authorized, ${capturedMinor} captured, ${refundedMinor} refunded`
  if (TAKEN.includes(snapshot.status) && authorizedMinor === 0 && capturedMinor === 0)
    return `the provider says ${snapshot.status}, and has no money for it`
  return null
}
