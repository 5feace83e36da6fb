import { z } from 'zod'
import {
  AmountMinor,
  CurrencyCode,
  Customer,
  MerchantOrderId,
  Metadata,
  PaymentProvider,
  ProofOfPayment,
  ReturnUrl,
} from './fields.ts'
import { PaymentSession, PaymentStatus } from './payment.ts'

const AMOUNT_MAX_CHARS = 40

/** An amount in major units, such as `"15.00"` or `15`. `payments/money.ts` parses it. */
const Amount = z.union([z.string().min(1).max(AMOUNT_MAX_CHARS), z.number()], {
  error: ({ input }) =>
    input === undefined ? undefined : 'must be decimal text or a number in major units, such as "15.00"',
})

export const CreatePaymentLinkRequest = z.strictObject({
  amount: Amount,
  amountMinor: AmountMinor.optional(),
  currency: CurrencyCode,
  description: z.string().min(2).max(600),
  /** RFC 3339 with `Z` or an offset. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  providerRoute: PaymentProvider.optional(),
  merchantOrderId: MerchantOrderId.optional(),
  returnUrl: ReturnUrl.optional(),
  customer: Customer.optional(),
  metadata: Metadata.optional(),
})
export type CreatePaymentLinkRequest = z.infer<typeof CreatePaymentLinkRequest>

/** What to show as a QR code. The value is only an address, and never proves that money moved. */
export const QrPresentation = z.strictObject({
  type: z.literal('url'),
  value: z.url(),
  proofOfPayment: ProofOfPayment,
})

export const PaymentLinkResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  linkId: z.string(),
  paymentId: z.string(),
  paymentUrl: z.url(),
  checkoutUrl: z.url(),
  providerCheckoutUrl: z.string().optional(),
  expiresAt: z.string().optional(),
  status: PaymentStatus,
  qr: QrPresentation.optional(),
  payment: PaymentSession,
})
export type PaymentLinkResponse = z.infer<typeof PaymentLinkResponse>
