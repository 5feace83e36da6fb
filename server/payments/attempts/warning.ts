/** What a provider said, or did not do, and a person has to look at. */
import type { Context } from '../../context.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'

/** Stores a warning about a provider answer that does not fit this payment, and logs it the first time. */
export async function warn(
  ctx: Context,
  { merchantId, id: paymentId }: PaymentRecord,
  detail: string,
): Promise<void> {
  const warning = { merchantId, paymentId, detail, createdAt: ctx.clock.now() }
  if (await insertPaymentWarning(ctx.db, warning))
    ctx.log.warn({ paymentId, detail }, 'provider answer does not fit the payment')
}
