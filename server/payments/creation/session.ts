/** Payment sessions: a merchant's back end creates a payment here and looks up its status. */
import type { Context } from '../../context.ts'
import type { Metadata } from '../../contract/fields.ts'
import { Description } from '../../contract/formats.ts'
import type { CreatePaymentSessionRequest, PaymentSession, PaymentStatus } from '../../contract/payment.ts'
import { AppError } from '../../errors.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { findPaymentTogether } from '../../storage/payments/payments.ts'
import { askIfStale } from '../attempts/visit.ts'
import { fingerprint } from '../idempotency.ts'
import { findAgain } from '../restored/lost-order.ts'
import { normalizedUrl } from '../return-url.ts'
import { OVER_UNPAID } from '../status.ts'
import { localeIn, presentPayment } from '../view.ts'
import { createPayment } from './create.ts'

const SCOPE = 'POST /v1/payment-sessions'
/** A buyer who wants to pay for the order after this needs a new payment. */
const RELEASES_ORDER: readonly PaymentStatus[] = [...OVER_UNPAID, 'refunded', 'reversed']
/** Derived keys have a scope of their own, so that they never collide with keys that callers choose. */
const DERIVED_SCOPE = `${SCOPE} (derived)`

/**
 * Creates a session, or replays it. Without a key, the key is derived from the request: the same content finds the same
 * payment until that payment has failed, expired, or been cancelled, refunded or reversed.
 * @throws AppError those of createPayment
 */
export async function createSession(
  ctx: Context,
  given: { merchantId: string; idempotencyKey: string | undefined; request: CreatePaymentSessionRequest },
): Promise<{ session: PaymentSession; created: boolean }> {
  const { merchantId, idempotencyKey, request } = given
  const digest = fingerprint({ ...request, returnUrl: normalizedUrl(request.returnUrl) })
  const derived = idempotencyKey === undefined
  const claim = {
    merchantId,
    scope: derived ? DERIVED_SCOPE : SCOPE,
    key: idempotencyKey ?? digest,
    fingerprint: digest,
    isReleased: (payment: Payment) => derived && RELEASES_ORDER.includes(payment.status),
    ...(derived && { outlivesRetention: true as const }),
  }
  const { payment, created } = await createPayment(ctx, claim, {
    merchantId,
    merchantOrderId: request.merchantOrderId,
    amountMinor: request.amountMinor,
    currency: request.currency,
    provider: request.provider,
    returnUrl: request.returnUrl,
    description: descriptionIn(request.metadata),
    locale: localeIn(request.metadata),
    customer: request.customer,
    metadata: request.metadata,
  })
  return { session: presentPayment(ctx, payment), created }
}

/** Returns what a session says that it is for, in `metadata.description`. A value of another form is only the shop's own. */
function descriptionIn(metadata: Metadata | undefined): string | undefined {
  const given = metadata?.description
  // Most sessions say nothing, and a failed check takes longer than all others of a request.
  return typeof given === 'string' ? Description.safeParse(given).data : undefined
}

/**
 * Returns the payment's current state. Asks the provider first if the payment is open and was not asked about in the last
 * seconds.
 * @throws AppError payment_not_found for an unknown id and also for another merchant's payment.
 */
export async function lookUpSession(
  ctx: Context,
  merchantId: string,
  paymentId: string,
): Promise<PaymentSession> {
  const found = await findPaymentTogether(ctx.db, { merchantId, id: paymentId })
  const payment = found ?? (await findAgain(ctx, paymentId))
  if (payment?.merchantId !== merchantId) throw new AppError('payment_not_found')
  return presentPayment(ctx, await askIfStale(ctx, payment))
}
