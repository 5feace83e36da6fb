/**
 * The one place where a payment's status is derived from what a provider reports about an order.
 * Rule: money counts more than words. Only an open dispute, a void and an unclear answer count more than money.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Snapshot, Standing } from '../providers/driver.ts'
import type { Attempt } from '../storage/payments/attempt.ts'

/** The status of an order that holds nothing, one that holds money, and one that took money. Without `taken` the sums decide. */
type Row = { nothing: PaymentStatus; held: PaymentStatus; taken?: PaymentStatus }

const STATUSES = {
  waiting: { nothing: 'pending_redirect', held: 'authorized' },
  reached: { nothing: 'pending_payment', held: 'authorized' },
  approved: { nothing: 'pending_payment', held: 'authorized' },
  // An answer about a completed order without money is not applied: see findMismatch.
  completed: { nothing: 'status_unknown', held: 'authorized' },
  declined: { nothing: 'failed', held: 'failed' },
  cancelled: { nothing: 'cancelled', held: 'cancelled' },
  expired: { nothing: 'expired', held: 'expired' },
  voided: { nothing: 'reversed', held: 'reversed', taken: 'reversed' },
  unclear: { nothing: 'status_unknown', held: 'status_unknown', taken: 'status_unknown' },
} as const satisfies Record<Standing, Row>

/** Returns the payment status that follows from the answer. */
export function statusOf(snapshot: Snapshot): PaymentStatus {
  if (snapshot.dispute) return 'disputed'
  const { nothing, held, taken }: Row = STATUSES[snapshot.order]
  if (snapshot.capturedMinor > 0) return taken ?? statusOfTaken(snapshot)
  return snapshot.authorizedMinor > 0 ? held : nothing
}

function statusOfTaken({ capturedMinor, refundedMinor, disputeLostMinor = 0 }: Snapshot): PaymentStatus {
  if (disputeLostMinor >= capturedMinor) return 'reversed'
  const returnedMinor = refundedMinor + disputeLostMinor
  if (returnedMinor === 0) return 'paid'
  return returnedMinor < capturedMinor ? 'partially_refunded' : 'refunded'
}

/** Returns whether the order holds and has taken nothing, and still can. */
export function isPayable(snapshot: Snapshot): boolean {
  return ['pending_redirect', 'pending_payment'].includes(statusOf(snapshot))
}

/** Returns whether the buyer has finished, and the provider, which has taken nothing yet, is still working on the payment. */
export function isUnderWay(snapshot: Snapshot): boolean {
  return snapshot.isUnderWay === true && statusOf(snapshot) === 'pending_payment'
}

/**
 * An order that is still approved after we have tried to take its money is under way: it may bring money until the approval lapses, so
 * its payment does not end by our clock. `isRefused`: the provider has certainly not taken it.
 */
export function withApproval(snapshot: Snapshot, isRefused: boolean): Snapshot {
  if (snapshot.order !== 'approved' || !isPayable(snapshot)) return snapshot
  return { ...snapshot, isUnderWay: true, ...(isRefused && { approvalStands: true as const }) }
}

/** Whether the buyer has approved, and the provider has not let us take the money. */
export function hasStandingApproval({
  facts,
  underWaySince,
}: Pick<Attempt, 'facts' | 'underWaySince'>): boolean {
  return underWaySince !== null && (facts as Pick<Snapshot, 'approvalStands'> | null)?.approvalStands === true
}

/**
 * A charge of a saved method waits for no buyer. So a provider that has not decided about it is working on it. An approved order whose
 * money could not be taken before is still under way.
 */
export function withKnownWork(
  snapshot: Snapshot,
  { singleAttempt, attempt }: { singleAttempt: boolean; attempt: Pick<Attempt, 'facts' | 'underWaySince'> },
): Snapshot {
  if (singleAttempt && snapshot.order === 'reached') return { ...snapshot, isUnderWay: true }
  if (!attempt.underWaySince) return snapshot
  return withApproval(snapshot, hasStandingApproval(attempt))
}
