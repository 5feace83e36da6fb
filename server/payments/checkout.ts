/** What a buyer does with a payment: sees its hosted page, and comes back from the provider. */
import type { Context } from '../context.ts'
import { findMerchantCached } from '../merchants/merchant.ts'
import { findPaymentById, type PaymentRecord } from '../storage/payments.ts'
import { syncIfStale, syncPayment } from './sync.ts'

export type Checkout = { payment: PaymentRecord; merchantName: string }

/** The payment for its hosted page, asked about if it is open; null when there is none. The id itself is the secret. */
export async function findCheckout(ctx: Context, paymentId: string): Promise<Checkout | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (!payment) return null
  const [current, merchant] = await Promise.all([
    syncIfStale(ctx, payment),
    findMerchantCached(ctx, payment.merchantId),
  ])
  return { payment: current, merchantName: merchant?.name ?? '' }
}

/**
 * The buyer is back: the provider is asked, whatever was asked lately. Answers where to send the browser on to, with the
 * ids and never a status, because the return proves nothing; null for an unknown payment, or one without a return URL.
 */
export async function returnFromProvider(ctx: Context, paymentId: string): Promise<string | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (!payment) return null
  await syncPayment(ctx, payment)
  if (!payment.returnUrl) return null
  const url = new URL(payment.returnUrl)
  url.searchParams.set('paymentId', payment.id)
  url.searchParams.set('merchantOrderId', payment.merchantOrderId)
  return url.href
}
