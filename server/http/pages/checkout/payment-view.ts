/** Turns a payment into what its pages show. */
import type { Context } from '../../../context.ts'
import type { Checkout } from '../../../payments/creation/checkout.ts'
import { shopUrl } from '../../../payments/creation/shop-address.ts'
import type { Visit } from '../page-endpoint.ts'
import { type LookAgain, lookAgain } from './look-again.ts'
import type { Face } from './status-face.ts'

export function paymentView(
  ctx: Context,
  { locale, localeLinks }: Visit,
  { payment, merchantName, paidAt, isOver, ended }: Checkout,
) {
  const { merchantOrderId, amountMinor, currency, status, fiscalStatus, refundedMinor } = payment
  const isManual = payment.provider === 'manual'
  const back = shopUrl(payment)
  return {
    locale,
    localeLinks,
    mode: ctx.world,
    merchantName,
    isManual,
    isOver,
    mayTryAgain: ended !== null,
    merchantOrderId,
    amountMinor,
    currency,
    status,
    fiscalStatus,
    refundedMinor,
    paymentId: payment.id,
    ...(payment.description && { description: payment.description }),
    ...(back && { returnUrl: back }),
    ...(paidAt && { paidAt: paidAt.toISOString() }),
  }
}

/** The buyer can always look again. The page looks by itself only where the outcome may come soon. */
export function lookAgainAt({ path, query }: Visit, face: Face): LookAgain | undefined {
  if (face.mayChange === undefined) return undefined
  const { locale, looked, returned } = query
  return lookAgain(path, { locale, returned, looked: face.mayChange === 'soon' ? looked : 'off' })
}
