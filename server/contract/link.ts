import { z } from 'zod'
import {
  AMOUNT_MINOR_MAX,
  AmountMinor,
  CurrencyCode,
  Customer,
  MerchantOrderId,
  Metadata,
  PaymentProvider,
  ProofOfPayment,
} from './fields.ts'
import { ReturnUrl, text, ZonedDateTime } from './formats.ts'
import { PaymentSession, PaymentStatus } from './payment.ts'

const AMOUNT_MAX_CHARS = 40
/** The largest amount of one payment in major units. All currencies of the contract have two decimals. */
const AMOUNT_MAX = AMOUNT_MINOR_MAX / 100
/** Plain digits with at most two decimals, above zero and at most AMOUNT_MAX. A test compares it with `payments/money.ts`. */
export const AMOUNT_PATTERN = `^(0*[1-9][0-9]{0,9}([.][0-9]{1,2})?|0*${AMOUNT_MAX}([.]00?)?|0+[.](0[1-9]|[1-9][0-9]?))$`

/** An amount in major units, such as `"15.00"` or `15`. `payments/money.ts` parses it. */
const Amount = z.union(
  [
    text(1, AMOUNT_MAX_CHARS, { pattern: AMOUNT_PATTERN }),
    z.number().meta({ exclusiveMinimum: 0, maximum: AMOUNT_MAX }),
  ],
  {
    error: ({ input }) =>
      input === undefined ? undefined : 'must be decimal text or a number in major units, such as "15.00"',
  },
)

export const CreatePaymentLinkRequest = z.strictObject({
  amount: Amount,
  amountMinor: AmountMinor.optional(),
  currency: CurrencyCode,
  description: text(2, 600),
  expiresAt: ZonedDateTime.optional(),
  providerRoute: PaymentProvider.optional(),
  merchantOrderId: MerchantOrderId.optional(),
  returnUrl: ReturnUrl.optional(),
  customer: Customer.optional(),
  metadata: Metadata.optional(),
})
export type CreatePaymentLinkRequest = z.infer<typeof CreatePaymentLinkRequest>

/** Parts of a link's request that are checked further, also if the rest of the request is wrong. */
export const LinkAmount = z.object({ amount: Amount, currency: CurrencyCode })
export const LinkExpiry = z.object({ expiresAt: ZonedDateTime })

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
