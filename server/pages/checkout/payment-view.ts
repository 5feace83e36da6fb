/** Turns a payment into the view of its pages. */
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import type { Checkout, HoldingPayment } from '../../payments/creation/checkout.ts'
import { shopUrl } from '../../payments/creation/shop-address.ts'
import { hasStandingApproval } from '../../payments/derived-status.ts'
import { canExpire, isOpen, isTaken, OVER_UNPAID } from '../../payments/status.ts'
import { type Brand, previewImage } from '../brand/brand.ts'
import type { Visit } from '../page-endpoint.ts'
import type { ShownProduct } from '../pay/shown-product.ts'
import { lookAgain, type RefreshPlan } from './look-again.ts'
import type { PaidOtherwise } from './paid-otherwise.ts'
import type { StatusContent } from './status-content.ts'

/** Money was taken for these payments, even if some of it was returned since. */
export const HAS_RECEIPT: readonly PaymentStatus[] = ['paid', 'partially_refunded', 'refunded', 'disputed']

/** The query parameter of a buyer who used the control while the route was not ready. */
export const UNAVAILABLE_NOW = 'unavailable'

export function paymentView(
  ctx: Context,
  { locale, localeLinks, query }: Visit,
  { payment, paidAt, paidOtherwise, isOver, ended, choices, asks, hasNoRoute, leadsTo, transfer }: Checkout,
  brand: Brand,
  product: ShownProduct | null = null,
) {
  const { merchantOrderId, amountMinor, capturedMinor, currency, status, fiscalStatus, refundedMinor } =
    payment
  // A buyer who has not chosen a route yet may choose another one, and the product's fields come first.
  const isFirst = choices.length > 0 || Object.keys(asks).length > 0
  const isManual = (payment.attempt.provider === 'manual' || transfer !== null) && !isFirst
  const back = shopUrl(payment)
  const receipt = HAS_RECEIPT.includes(payment.status) && `/checkout/${payment.id}/receipt`
  return {
    locale,
    localeLinks,
    mode: ctx.world,
    merchantName: brand.name,
    brand,
    isManual,
    leadsTo,
    transfer: transfer && { ...transfer, isOver: ctx.clock.now() >= transfer.keptUntil },
    isOver,
    ended,
    // A stored address must not hide an order that was opened since.
    isUnavailable:
      hasNoRoute ||
      (query[UNAVAILABLE_NOW] !== undefined && (ended !== null || payment.attempt.state === 'planned')),
    declineCategory: (payment.attempt.facts as AttemptFacts | null)?.declineCategory,
    isUnderWay: isUnderWay(payment) && payment.merchantCancelledAt === null,
    approvalStands: hasStandingApproval(payment.attempt),
    isCancelledByShop: payment.merchantCancelledAt !== null,
    waitsElsewhere: (payment.attempt.facts as AttemptFacts | null)?.waitsElsewhere === true,
    merchantOrderId,
    amountMinor,
    ...(isTaken(payment) && { takenMinor: capturedMinor }),
    currency,
    status,
    fiscalStatus,
    refundedMinor,
    paymentId: payment.id,
    ...(payment.description && { description: product?.name ?? payment.description }),
    ...(product && { product }),
    ...previewImage(ctx, product, brand),
    ...(back && { returnUrl: back }),
    ...(receipt && { receiptAddress: receipt }),
    ...(paidOtherwise && { paidOtherwise: otherOf(paidOtherwise) }),
    ...(paidAt && { paidAt: paidAt.toISOString() }),
  }
}

/** The buyer has finished, and the provider has not said how it ended, also where the payment's own time has passed meanwhile. */
function isUnderWay({ status, attempt: { underWaySince } }: Checkout['payment']): boolean {
  return underWaySince !== null && (canExpire(status) || OVER_UNPAID.includes(status))
}

function otherOf(other: HoldingPayment): PaidOtherwise {
  const { status, amountMinor, capturedMinor, currency, updatedAt } = other
  return {
    isUnknown: isOpen(status) || OVER_UNPAID.includes(status),
    amountMinor: capturedMinor || amountMinor,
    currency,
    at: updatedAt.toISOString(),
  }
}

/** The buyer can always reload. The page reloads itself only if the outcome may come soon. */
export function lookAgainAt({ path, query }: Visit, content: StatusContent): RefreshPlan | undefined {
  if (content.mayChange === undefined) return undefined
  const { locale, looked, returned, kept } = query
  return lookAgain(path, { locale, returned, kept, looked: content.mayChange === 'soon' ? looked : 'off' })
}
