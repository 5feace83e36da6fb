/** How an order stands, with the disputes about its money. */
import type { Snapshot } from '../driver.ts'
import { withDisputes } from './disputes.ts'
import type { PaypalCall } from './request.ts'
import { type OrderContext, snapshotOf } from './snapshot.ts'
import type { Order } from './wire.ts'

/**
 * Returns the order with its disputes. PayPal does not always say why a capture is not COMPLETED: it may never have been taken, or a
 * buyer has complained. Only what was taken can be disputed for good, so then the disputes tell.
 */
export async function readSnapshot(call: PaypalCall, order: Order, known: OrderContext): Promise<Snapshot> {
  const { captures, refunds } = order.purchase_units[0].payments
  const snapshot = snapshotOf(order, known)
  if (snapshot.capturedMinor > 0 || captures.length === 0) return withDisputes(call, snapshot, refunds)
  const asTaken = snapshotOf(order, { ...known, isDisputed: true })
  if (asTaken.capturedMinor === 0) return snapshot
  const withDisputed = await withDisputes(call, asTaken, refunds)
  if (withDisputed.dispute || withDisputed.disputeLostMinor) return withDisputed
  const { inquiry, doubts, unknownWords, disputesUnknown } = withDisputed
  return {
    ...snapshot,
    ...(disputesUnknown && { disputesUnknown }),
    ...(inquiry && { inquiry }),
    ...(doubts && { doubts }),
    ...(unknownWords && { unknownWords }),
  }
}
