import { z } from 'zod'
import {
  AMOUNT_MINOR_MAX,
  AmountMinor,
  CurrencyCode,
  FIELDS,
  MEANS,
  MerchantOrderId,
  Metadata,
  PaymentProvider,
  ProofOfPayment,
} from './fields.ts'
import { Description, ReturnUrl, text, ZonedDateTime } from './formats.ts'
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
  amount: Amount.meta({
    description: 'The amount in major units as a decimal, such as `"15.00"`: text is safer than a number.',
  }),
  amountMinor: AmountMinor.optional().meta({
    description: 'The amount in minor units. It must agree with `amount`.',
  }),
  currency: FIELDS.currency,
  description: Description.meta(MEANS.description),
  expiresAt: ZonedDateTime.optional().meta(MEANS.expiresAt),
  providerRoute: PaymentProvider.optional().meta(MEANS.defaultRoute),
  merchantOrderId: MerchantOrderId.optional().meta({
    description:
      'Your own, stable reference for the order. If it is left out, it is derived from the Idempotency-Key: `lnk_` (`lnk_test_` in the sandbox) and 20 characters. The derived reference is not the `linkId`.',
  }),
  returnUrl: ReturnUrl.optional(),
  customer: FIELDS.customer.optional(),
  metadata: Metadata.optional(),
})
export type CreatePaymentLinkRequest = z.infer<typeof CreatePaymentLinkRequest>

/** Parts of a link's request that are checked further, also if the rest of the request is wrong. */
export const LinkAmount = z.object({ amount: Amount, currency: CurrencyCode })
export const LinkExpiry = z.object({ expiresAt: ZonedDateTime })

/** What to show as a QR code. The value is only an address, and never proves that money moved. */
export const QrPresentation = z.strictObject({
  type: z.literal('url').meta({ description: 'Always `url`.' }),
  value: z.url().meta({ description: 'The address to encode.' }),
  proofOfPayment: ProofOfPayment,
})

export const PaymentLinkResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  linkId: z.string().meta({
    description:
      'The payment link’s identifier. It is the end of `paymentUrl`, and whoever knows it can open the page. It is not the order reference: a derived `merchantOrderId` begins with `lnk_` too, but is another value.',
  }),
  paymentId: z.string().meta(MEANS.paymentId),
  paymentUrl: z.url().meta({ description: 'The address to hand to the buyer.' }),
  checkoutUrl: z.url().meta(MEANS.checkoutUrl),
  providerCheckoutUrl: z.string().optional().meta(MEANS.providerCheckoutUrl),
  expiresAt: z.string().optional().meta(MEANS.expiresAt),
  status: PaymentStatus.meta(MEANS.status),
  qr: QrPresentation.optional().meta({
    description: 'What to show as a QR code. It is an address and says nothing about payment.',
  }),
  payment: PaymentSession.meta(MEANS.payment),
})
export type PaymentLinkResponse = z.infer<typeof PaymentLinkResponse>
