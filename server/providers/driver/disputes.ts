/** Several disputes of one order are reported as one. */
import type { Dispute, Snapshot } from './snapshot.ts'

/** Returns their sum, the reason of the first one and the earliest time to answer; null for none. */
export function sumDisputes(disputes: readonly Dispute[]): Dispute | null {
  const [first] = disputes
  if (!first) return null
  const answerBy = disputes.flatMap((each) => each.answerBy ?? []).toSorted()[0]
  return {
    amountMinor: disputes.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    ...(first.reason !== undefined && { reason: first.reason }),
    ...(answerBy !== undefined && { answerBy }),
  }
}

/**
 * Returns the snapshot with what disputes have taken of the money that refunds have left. What they have taken beyond that went back
 * besides the payment's money.
 */
export function netDisputes(snapshot: Snapshot): Snapshot {
  const { capturedMinor, refundedMinor, disputeLostMinor = 0, overReturnedMinor = 0 } = snapshot
  const beyondMinor = refundedMinor + disputeLostMinor - capturedMinor
  if (capturedMinor === 0 || refundedMinor === 0 || disputeLostMinor === 0 || beyondMinor <= 0)
    return snapshot
  const takenBeyondMinor = Math.min(beyondMinor, disputeLostMinor)
  return {
    ...snapshot,
    disputeLostMinor: disputeLostMinor - takenBeyondMinor,
    overReturnedMinor: overReturnedMinor + takenBeyondMinor,
  }
}
