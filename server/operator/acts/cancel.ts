/** An operator cancels a payment in the merchant's place: through the same verb as the API. */
import type { Context } from '../../context.ts'
import type { CancelPaymentResponse } from '../../contract/operation.ts'
import { cancelPayment } from '../../payments/operations/cancel.ts'
import { getPayment } from '../payment-timeline.ts'

/** Repeating it changes nothing. @throws AppError those of cancelPayment */
export async function cancelFor(
  ctx: Context,
  { paymentId, why }: { paymentId: string; why: string },
  by: string,
): Promise<CancelPaymentResponse> {
  const { merchantId } = await getPayment(ctx, paymentId)
  // A payment is cancelled once, so the first reason stays.
  const asker = { merchantId, idempotencyKey: `cancel ${why}`.slice(0, 160), by }
  return cancelPayment(ctx, { ...asker, paymentId, request: { reason: why } })
}
