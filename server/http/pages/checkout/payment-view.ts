/** From a payment to what its pages say of it. */
import type { Context } from '../../../context.ts'
import type { Checkout } from '../../../payments/creation/checkout.ts'
import type { Visit } from '../page-endpoint.ts'
import { type LookAgain, lookAgain } from './look-again.ts'
import type { Face } from './status-face.ts'

export function paymentView(
  ctx: Context,
  { locale, localeLinks }: Visit,
  { payment, merchantName, paidAt, isOver }: Checkout,
) {
  const { merchantOrderId, amountMinor, currency, status, fiscalStatus, refundedMinor } = payment
  const isManual = payment.provider === 'manual'
  return {
    locale,
    localeLinks,
    mode: ctx.world,
    merchantName,
    isManual,
    isOver,
    merchantOrderId,
    amountMinor,
    currency,
    status,
    fiscalStatus,
    refundedMinor,
    paymentId: payment.id,
    ...(payment.description && { description: payment.description }),
    ...(payment.returnUrl && { returnUrl: payment.returnUrl }),
    ...(paidAt && { paidAt: paidAt.toISOString() }),
  }
}

/** The buyer can always look again; the page does so by itself only where the answer may come soon. */
export function lookAgainAt({ path, query }: Visit, face: Face): LookAgain | undefined {
  if (face.mayChange === undefined) return undefined
  const { locale, looked } = query
  return lookAgain(path, { locale, looked: face.mayChange === 'soon' ? looked : 'off' })
}
