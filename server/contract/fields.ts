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

export const MerchantOrderId = text(1, 120)
export const DateTime = z.iso.datetime()

export const PROOF_OF_PAYMENT = 'webhook_or_reconciliation_only'
/** Only an event or a look-up proves a payment. This value stands beside everything that looks like a proof but is none. */
export const ProofOfPayment = z.literal(PROOF_OF_PAYMENT)

export const Customer = z.strictObject({
  email: z.email({ pattern: MAILBOX }).max(160).optional(),
  phone: text(0, 80).optional(),
  name: text(0, 120).optional(),
})
export type Customer = z.infer<typeof Customer>

/** The merchant's own data. `http/json/body.ts` limits its size, depth and content. */
export const Metadata = z.record(z.string(), z.unknown()).meta({ maxProperties: METADATA_KEYS_MAX })
export type Metadata = z.infer<typeof Metadata>
