/** Several disputes of one order are reported as one. */
import type { Dispute } from './snapshot.ts'

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
