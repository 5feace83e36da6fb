/** The one place where a payment's status is derived from what its provider says. */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Snapshot } from '../providers/driver.ts'
import { OVER_UNPAID } from './status.ts'

/** These status names count more than the amounts. */
const NAME_DECIDES: readonly PaymentStatus[] = ['reversed', 'disputed', 'status_unknown']

/** Returns the status that follows from the provider's amounts, or the provider's own status name if the amounts are zero. */
export function statusOf(snapshot: Snapshot): PaymentStatus {
  const { status, authorizedMinor, capturedMinor, refundedMinor, disputeLostMinor = 0 } = snapshot
  if (NAME_DECIDES.includes(status)) return status
  if (capturedMinor > 0) {
    if (disputeLostMinor >= capturedMinor) return 'reversed'
    const returnedMinor = refundedMinor + disputeLostMinor
    if (returnedMinor === 0) return 'paid'
    return returnedMinor < capturedMinor ? 'partially_refunded' : 'refunded'
  }
  return authorizedMinor > 0 && !OVER_UNPAID.includes(status) ? 'authorized' : status
}

/** Returns whether the buyer has finished, and the provider, which has taken nothing yet, is still working on the payment. */
export function isUnderWay(snapshot: Snapshot): boolean {
  return snapshot.isUnderWay === true && statusOf(snapshot) === 'pending_payment'
}
