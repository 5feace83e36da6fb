/** What a provider said, or did not do, and a person has to look at. */
import type { Context } from '../../context.ts'
import type { NamedPayment } from '../../storage/payments/payment.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'

/** Stores a warning about a provider answer that does not fit this payment, and logs it the first time. */
export async function warn(
  ctx: Context,
  { merchantId, id: paymentId }: NamedPayment,
  detail: string,
): Promise<void> {
  const warning = { merchantId, paymentId, detail, createdAt: ctx.clock.now() }
  if (await insertPaymentWarning(ctx.db, warning))
    ctx.log.warn({ paymentId, detail }, 'provider answer does not fit the payment')
}
