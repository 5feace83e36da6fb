/**
 * The contract room: everything that merchants and widgets see, as zod schemas and their types.
 * Rule: only zod. No logic, no transforms, no dates and no bigints, so that every schema can be written as a JSON Schema.
 */
import { z } from 'zod'
import { CURRENCY_CODES } from './currencies.ts'
import { MAILBOX, text } from './formats.ts'

export { CURRENCY_CODES }
export const PROVIDER_ROUTES = ['route_a', 'route_b', 'route_c', 'route_d', 'route_e', 'manual'] as const

/** The largest amount of one payment, in minor units. */
export const AMOUNT_MINOR_MAX = 10 ** 12
export const PAYMENT_ID_MAX_CHARS = 120
export const IDEMPOTENCY_KEY_MAX_CHARS = 160
/** Printable ASCII, with no space at either end. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]([ -~]*[!-~])?$'
/** At most this much of a return URL is stored and handed on, ids included. */
export const STORED_URL_MAX_CHARS = 2_000
export const METADATA_KEYS_MAX = 50

export const CurrencyCode = z.enum(CURRENCY_CODES)
export type CurrencyCode = z.infer<typeof CurrencyCode>

export const PaymentProvider = z.enum(PROVIDER_ROUTES)
/** A provider route is a slot of the contract. An operator decides which driver serves it. */
export type ProviderRoute = z.infer<typeof PaymentProvider>

const MINOR_UNITS = 'minor units: 1900 is 19.00 USD'
export const AmountMinor = z
  .int()
  .min(1, `must be at least 1, in ${MINOR_UNITS}`)
  .max(AMOUNT_MINOR_MAX, `must be at most ${AMOUNT_MINOR_MAX}, in ${MINOR_UNITS}`)

const ORDER_REFERENCE = {
  description: 'Your own, stable reference for the order. Every response and event repeats it.',
}
export const MerchantOrderId = text(1, 120).meta(ORDER_REFERENCE)
export const DateTime = z.iso.datetime()

export const PROOF_OF_PAYMENT = 'webhook_or_reconciliation_only'
/** Only an event or a look-up proves a payment. Every response that only looks like a proof has this value. */
export const ProofOfPayment = z
  .literal(PROOF_OF_PAYMENT)
  .meta({ description: 'The only proof of a payment: an event, or a look-up from your back end.' })

export const Customer = z.strictObject({
  email: z.email({ pattern: MAILBOX }).max(160).optional().meta({ description: 'E-mail address.' }),
  phone: text(0, 80).optional().meta({ description: 'Phone number.' }),
  name: text(0, 120).optional().meta({ description: 'Name, as people see it.' }),
})
export type Customer = z.infer<typeof Customer>

/** The merchant's own data. `http/json/body.ts` limits its size, depth and content. */
export const Metadata = z.record(z.string(), z.unknown()).meta({
  maxProperties: METADATA_KEYS_MAX,
  description:
    'Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank.',
})
export type Metadata = z.infer<typeof Metadata>

/** Fields that several objects have, with what they mean. */
export const FIELDS = {
  ok: z.literal(true).meta({ description: 'Always true.' }),
  created: z.boolean().meta({ description: 'False if this is the result of an earlier request.' }),
  merchantOrderId: z.string().meta(ORDER_REFERENCE),
  amountMinor: AmountMinor.meta({
    description: 'The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD.',
  }),
  currency: CurrencyCode.meta({ description: 'ISO 4217 code.' }),
  customer: Customer.meta({ description: 'Who pays, if you know it.' }),
  createdAt: DateTime.meta({ description: 'When it was created: ISO 8601, UTC.' }),
  updatedAt: DateTime.meta({ description: 'When it last changed: ISO 8601, UTC.' }),
}

/** What a name means in several objects, where its values differ in form. */
export const MEANS = {
  refundedMinor: {
    description:
      'How much went back to the buyer, in minor units: by refunds and by lost disputes. It falls only if the provider says that a refund failed after all, or that a dispute was won after all.',
  },
  id: { description: 'The identifier of this object. Compare it as a whole, and do not read its parts.' },
  paymentId: { description: 'The payment’s identifier, such as `pay_test_01k9zq…`.' },
  status: { description: 'The payment’s status. Only `paid` allows fulfilment.' },
  livemode: { description: 'False in the sandbox, where no real money moves. True in the live world.' },
  checkoutUrl: { description: 'The hosted checkout. Send the buyer here.' },
  providerCheckoutUrl: { description: 'The provider’s own page, while the payment can still be paid there.' },
  expiresAt: {
    description:
      'The end of the time in which it can be paid: ISO 8601. An expiry does not prove that no money moved.',
  },
  description: { description: 'What is being paid for, as the buyer reads it.' },
  defaultRoute: { description: 'The provider route. If it is left out, the service uses its default route.' },
  payment: { description: 'The payment as it is now.' },
  mode: { description: '`sandbox`: no real money moves. `live`: real money moves.' },
  reason: { description: 'The reason, for people.' },
  version: { description: 'The version.' },
}

/** The headers of a request, in the order in which the document has them. */
export const HEADER_FIELDS = {
  Origin: z.string().meta({
    description: 'Set by the browser. It must be exactly one of the installation’s origins.',
  }),
  'Idempotency-Key': z.string().min(1).max(IDEMPOTENCY_KEY_MAX_CHARS).meta({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description:
      'One key for each attempt. Retries of an attempt send the same key, and a new attempt sends a new key. Printable ASCII.',
  }),
  Prefer: z.string().optional().meta({
    description:
      '`wait=3`: the response waits up to 3 seconds, 10 at most, until the operation has succeeded, has failed or waits for a person. Without it the response comes at once. An addition of Kassa.',
  }),
  'Kassa-If-Refunded-Minor': z.int().min(0).max(AMOUNT_MINOR_MAX).optional().meta({
    description:
      'The refund is made only if exactly this much was refunded of the payment before, with refunds that are not decided yet. Otherwise 409 with `error.refundedMinor` and `error.pendingRefundMinor`. With it a refund can be sent again under a new key without doubling it. An addition of Kassa.',
  }),
}
