/** Presents a stored payment to the outside. */
import type { World } from '../contract/health.ts'
import type { PaymentSession } from '../contract/payment.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { isOpen } from './status.ts'

export function checkoutUrl(ctx: { baseUrl: string }, paymentId: string): string {
  return `${ctx.baseUrl}/checkout/${paymentId}`
}

/**
 * Returns the contract's PaymentSession. `providerCheckoutUrl` is included only while the payment can still be paid there.
 * `processingSince`: the buyer has finished, and the provider is still working.
 */
export function presentPayment(
  ctx: { baseUrl: string; world: World },
  record: AttemptedPayment,
): PaymentSession {
  return {
    ok: true,
    id: record.id,
    merchantOrderId: record.merchantOrderId,
    provider: record.attempt.provider,
    amountMinor: record.amountMinor,
    currency: record.currency,
    status: record.status,
    fiscalStatus: record.fiscalStatus,
    livemode: ctx.world === 'live',
    capturedMinor: record.capturedMinor,
    refundedMinor: record.refundedMinor,
    checkoutUrl: checkoutUrl(ctx, record.id),
    ...(record.attempt.checkoutUrl &&
      record.attempt.state === 'open' &&
      !record.attempt.underWaySince &&
      isOpen(record.status) && { providerCheckoutUrl: record.attempt.checkoutUrl }),
    ...(record.attempt.underWaySince && { processingSince: record.attempt.underWaySince.toISOString() }),
    ...(record.customer && { customer: record.customer }),
    ...(record.metadata && { metadata: record.metadata }),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}
