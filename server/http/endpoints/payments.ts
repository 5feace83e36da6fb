/** Creating a payment, as a session or as a link, looking it up, and cancelling it. */
import type { Context } from '../../context.ts'
import { CreatePaymentLinkRequest, PaymentLinkResponse } from '../../contract/link.ts'
import { CancelPaymentRequest, CancelPaymentResponse, PaymentPath } from '../../contract/operation.ts'
import { CreatePaymentSessionRequest, LookUpPaymentQuery, PaymentSession } from '../../contract/payment.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { createMemoryBuckets } from '../../limits/token-bucket.ts'
import { checkLinkTerms, createLink } from '../../payments/creation/link.ts'
import { createSession, lookUpSession } from '../../payments/creation/session.ts'
import { cancelPayment as cancel } from '../../payments/operations/cancel.ts'
import { endpoint } from '../endpoint.ts'
import { keyedWrite, replyOf } from './keyed-write.ts'

export const createPaymentSession = endpoint({
  method: 'post',
  path: '/v1/payment-sessions',
  auth: { kind: 'bearer', scope: 'payments.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Create a payment session',
  idempotencyKey: 'optional',
  description:
    'Send the buyer to `checkoutUrl`. With an Idempotency-Key, all retries of one attempt lead to one payment. Without a ' +
    'key, requests with the same order and body count as one attempt, until that payment has failed, expired, or been ' +
    'cancelled, reversed or fully refunded.',
  body: CreatePaymentSessionRequest,
  response: PaymentSession,
  creates: true,
  errors: [
    'return_url_not_allowed',
    'provider_route_not_ready',
    'provider_route_unsupported',
    'provider_unavailable',
  ],
  async handle(ctx, { merchantId, idempotencyKey, body: request }) {
    const { session, created } = await createSession(ctx, { merchantId, idempotencyKey, request })
    warnOfPlainReturn(ctx, { merchantId, paymentId: session.id, returnUrl: request.returnUrl })
    return { created, body: session }
  },
})

export const createPaymentLink = endpoint({
  method: 'post',
  path: '/v1/payment-links',
  ...keyedWrite('payments.write'),
  summary: 'Create a payment link',
  description:
    'Send the buyer `paymentUrl`, or show it as the QR code that `qr` describes. A link stands for one payment. Once it is ' +
    'paid, its page is a receipt. `amount` is in major units and read exactly. Neither the link nor its expiry proves a payment.',
  body: CreatePaymentLinkRequest,
  response: PaymentLinkResponse,
  errors: [
    'amount_mismatch',
    'return_url_not_allowed',
    'provider_route_not_ready',
    'provider_route_unsupported',
    'provider_unavailable',
  ],
  checkTerms: checkLinkTerms,
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    const link = await createLink(ctx, { merchantId, idempotencyKey, request })
    warnOfPlainReturn(ctx, { merchantId, paymentId: link.paymentId, returnUrl: request.returnUrl })
    return { created: link.created, body: link }
  },
})

export const lookUpPayment = endpoint({
  method: 'get',
  path: '/v1/payments',
  auth: { kind: 'bearer', scope: 'payments.read' },
  limited: 'lookup',
  stranger: WITHOUT_TOKEN,
  summary: 'Look up a payment',
  description:
    'Returns the current state. Fulfil an order only if the status is `paid` and amount, currency and order reference ' +
    'match. While the payment is open, the service also asks the provider, at most every 3 seconds.',
  query: LookUpPaymentQuery,
  response: PaymentSession,
  errors: ['payment_not_found'],
  async handle(ctx, { merchantId, query }) {
    return { body: await lookUpSession(ctx, merchantId, query.paymentId) }
  },
})

export const cancelPayment = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/cancel',
  ...keyedWrite('payments.write'),
  addition: true,
  summary: 'Cancel a payment that nobody has paid',
  description:
    'Ends a payment that is `created`, `pending_redirect` or `pending_payment`, and not while the provider is working on it. The ' +
    'provider is asked first. Its order is withdrawn where the provider can do that. Money that arrives all the same is not the ' +
    'payment’s: a hold is released, and what was taken goes back by itself where refunds are enabled. The payment stays `cancelled`. ' +
    'It is no operation: the response has the payment alone.',
  params: PaymentPath,
  body: CancelPaymentRequest,
  response: CancelPaymentResponse,
  errors: ['payment_not_found', 'payment_not_eligible', 'provider_unavailable'],
  async handle(ctx, { merchantId, idempotencyKey = '', params, body: request }) {
    return replyOf(await cancel(ctx, { merchantId, idempotencyKey, request, ...params }))
  },
})

/** One line an hour for each merchant, because a program sends the same address with every payment. */
const PER_MERCHANT = { perSecond: 1 / 3_600, burst: 1 }
const buckets = createMemoryBuckets()

/** The contract allows a returnUrl without https. In the live world the operator learns of it from the log. */
function warnOfPlainReturn(
  ctx: Context,
  {
    merchantId,
    paymentId,
    returnUrl,
  }: { merchantId: string; paymentId: string; returnUrl: string | undefined },
): void {
  if (ctx.world !== 'live' || returnUrl === undefined || !/^http:/i.test(returnUrl)) return
  if (buckets.take(merchantId, PER_MERCHANT).waitMs > 0) return
  const { host } = new URL(returnUrl)
  ctx.log.warn(
    { merchantId, paymentId, host },
    'a live payment has a returnUrl without https, so others on the way can read and change the page that the buyer comes back to',
  )
}
