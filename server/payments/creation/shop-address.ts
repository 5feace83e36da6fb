/** Where a buyer goes from our pages: on to the shop after paying, or back to the shop without having paid. */
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { withParameters } from '../return-url.ts'

/** A buyer whose payment has one of these statuses goes on to the shop's return URL. */
const GOES_ON: readonly PaymentStatus[] = ['authorized', 'paid', 'partially_refunded']

type Returning = Pick<Payment, 'id' | 'merchantOrderId' | 'status' | 'returnUrl' | 'shopUrl'>

/**
 * Returns the merchant's return URL with the ids added, for a buyer who has paid. It never contains a status, because a return
 * proves nothing. Returns null if the payment is not paid or has no return URL.
 */
export function onwardUrl(payment: Returning): string | null {
  return payment.returnUrl && GOES_ON.includes(payment.status) ? withIds(payment.returnUrl, payment) : null
}

/**
 * Returns the address behind *Back to the shop*. For payments of the API it is the return URL, where the shop looks the payment
 * up. A button's return URL usually thanks the buyer, so a button's buyer goes to the shop URL: that of the installation, else the
 * start page of the site with the button.
 */
export function shopUrl(payment: Returning): string | null {
  if (payment.shopUrl) return payment.shopUrl
  return payment.returnUrl ? withIds(payment.returnUrl, payment) : null
}

/** Changes nothing else in the address, because the shop gets it as it was sent. */
function withIds(returnUrl: string, { id: paymentId, merchantOrderId }: Returning): string {
  return withParameters(returnUrl, { paymentId, merchantOrderId })
}
