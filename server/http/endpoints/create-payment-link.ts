import { CreatePaymentLinkRequest, PaymentLinkResponse } from '../../contract/link.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { checkLinkTerms, createLink } from '../../payments/creation/link.ts'
import { endpoint } from '../endpoint.ts'
import { warnOfPlainReturn } from './plain-return.ts'

export const createPaymentLink = endpoint({
  method: 'post',
  path: '/v1/payment-links',
  auth: { kind: 'bearer', scope: 'payments.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Create a payment link',
  idempotencyKey: 'required',
  description:
    'Send the buyer `paymentUrl`, or show it as the QR code that `qr` describes. A link stands for one payment. Once it is ' +
    'paid, its page is a receipt. `amount` is in major units and read exactly. Neither the link nor its expiry proves a payment.',
  body: CreatePaymentLinkRequest,
  response: PaymentLinkResponse,
  creates: true,
  errors: [
    ...(['amount_mismatch', 'return_url_not_allowed'] as const),
    ...(['provider_route_not_ready', 'provider_route_unsupported', 'provider_unavailable'] as const),
  ],
  checkTerms: checkLinkTerms,
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    const link = await createLink(ctx, { merchantId, idempotencyKey, request })
    warnOfPlainReturn(ctx, { merchantId, paymentId: link.paymentId, returnUrl: request.returnUrl })
    return { created: link.created, body: link }
  },
})
