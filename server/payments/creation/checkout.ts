/** What a buyer does with a payment: sees its hosted page, goes on to the provider, and comes back from there. */
import type { Context } from '../../context.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import { findHoldingPayment, type HoldingPayment } from '../../storage/payments/paid-orders.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPaymentById, type PaymentRecord } from '../../storage/payments/payments.ts'
import { askAboutPayment, askIfStale } from '../question.ts'
import { canExpire, isOpen, OVER_UNPAID } from '../status.ts'

export type Checkout = {
  payment: PaymentRecord
  merchantName: string
  /** When the money was taken, or held. */
  paidAt: Date | null
  /** Another payment that holds this order's money, or may; looked for while this one can be paid. */
  paidOtherwise: HoldingPayment | null
  /** The time to pay has passed, whatever the provider knows, so that nobody is asked to pay any more. */
  isOver: boolean
}

/** The payment for its hosted page, asked about if it is open; null when there is none. The id itself is the secret. */
export async function findCheckout(ctx: Context, paymentId: string): Promise<Checkout | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  return payment && look(ctx, await askIfStale(ctx, payment))
}

async function look(ctx: Context, payment: PaymentRecord): Promise<Checkout> {
  const [merchant, paidAt, paidOtherwise] = await Promise.all([
    findMerchantCached(ctx, payment.merchantId),
    findPaidAt(ctx, payment),
    canExpire(payment.status) ? findHoldingPayment(ctx.db, payment) : null,
  ])
  const isOver = canExpire(payment.status) && ctx.clock.now() >= payment.expiresAt
  return { payment, merchantName: merchant?.name ?? '', paidAt, paidOtherwise, isOver }
}

async function findPaidAt(ctx: Context, { merchantId, id, status }: PaymentRecord): Promise<Date | null> {
  if (isOpen(status) || OVER_UNPAID.includes(status)) return null
  const changes = await listPaymentChanges(ctx.db, merchantId, id)
  return changes.find(({ toStatus }) => toStatus === 'authorized' || toStatus === 'paid')?.createdAt ?? null
}

/** What a buyer says who pays for an order although another payment has paid it: they have seen that very one. */
export function confirmationOf({ updatedAt }: HoldingPayment): string {
  return updatedAt.toISOString()
}

/**
 * The buyer presses the pay control. The provider is asked first, whatever was asked lately, because the page may have
 * been open since before the payment was made in another tab. Answers where to go on to; null when the payment can no
 * longer be paid, or not without a `confirmation` of the payment that has paid its order already.
 */
export async function goToProvider(
  ctx: Context,
  paymentId: string,
  confirmation: string | undefined,
): Promise<{ url: string; isForm: boolean } | null> {
  const found = await findPaymentById(ctx.db, paymentId)
  if (!found) return null
  const { payment, paidOtherwise, isOver } = await look(ctx, await askAboutPayment(ctx, found))
  if (!canExpire(payment.status) || isOver) return null
  if (paidOtherwise && confirmationOf(paidOtherwise) !== confirmation) return null
  if (payment.providerCheckoutUrl) return { url: payment.providerCheckoutUrl, isForm: false }
  return payment.providerForm && { url: payment.providerForm.action, isForm: true }
}

/**
 * The buyer is back: the provider is asked, whatever was asked lately. Answers where to send the browser on to, with the
 * ids and never a status, because the return proves nothing; null for an unknown payment, or one without a return URL.
 */
export async function returnFromProvider(ctx: Context, paymentId: string): Promise<string | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (!payment) return null
  await askAboutPayment(ctx, payment)
  if (!payment.returnUrl) return null
  const url = new URL(payment.returnUrl)
  url.searchParams.set('paymentId', payment.id)
  url.searchParams.set('merchantOrderId', payment.merchantOrderId)
  return url.href
}
