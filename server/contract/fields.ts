/**
 * The contract room: what the outside sees, as zod schemas and their types.
 * Law: zod only. No logic, no transforms, no dates or bigints, so that every schema is also a JSON Schema.
 */
import { z } from 'zod'

export const CURRENCY_CODES = ['AMD', 'USD', 'EUR'] as const
export const PROVIDER_ROUTES = ['route_a', 'route_b', 'route_c', 'route_d', 'route_e', 'manual'] as const

/** Largest amount that one payment may carry, in minor units. */
export const AMOUNT_MINOR_MAX = 10 ** 12
export const PAYMENT_ID_MAX_CHARS = 120
export const IDEMPOTENCY_KEY_MAX_CHARS = 160
export const URL_MAX_CHARS = 300

export const CurrencyCode = z.enum(CURRENCY_CODES)
export type CurrencyCode = z.infer<typeof CurrencyCode>

export const PaymentProvider = z.enum(PROVIDER_ROUTES)
/** A provider route: the contract's slot, not the driver behind it. */
export type ProviderRoute = z.infer<typeof PaymentProvider>

const MINOR_UNITS = 'minor units: 1900 is 19.00 USD'
export const AmountMinor = z
  .int()
  .min(1, `must be at least 1, in ${MINOR_UNITS}`)
  .max(AMOUNT_MINOR_MAX, `must be at most ${AMOUNT_MINOR_MAX}, in ${MINOR_UNITS}`)
export const MerchantOrderId = z.string().min(1).max(120)
export const ReturnUrl = z.string().min(1).max(URL_MAX_CHARS)
export const DateTime = z.iso.datetime()

export const PROOF_OF_PAYMENT = 'webhook_or_reconciliation_only'
/** What alone proves a payment, said wherever something looks like a proof and is none. */
export const ProofOfPayment = z.literal(PROOF_OF_PAYMENT)

export const Customer = z.strictObject({
  email: z.email().max(160).optional(),
  phone: z.string().max(80).optional(),
  name: z.string().max(120).optional(),
})
export type Customer = z.infer<typeof Customer>

/** Free-form merchant data; its size, depth and content limits are `http/body.ts`'s. */
export const Metadata = z.record(z.string(), z.unknown())
export type Metadata = z.infer<typeof Metadata>
