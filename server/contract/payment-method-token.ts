import { z } from 'zod'
import { Customer, DateTime, Metadata, PaymentProvider } from './fields.ts'
import { ReturnUrl, text } from './formats.ts'
import { PaymentOperation } from './operation.ts'

export const TOKEN_ID_MAX_CHARS = 160

/**
 * `active`: the provider has confirmed that the card is saved. `failed`: no card was saved in time. Only an active token can be
 * charged.
 */
export const PAYMENT_METHOD_TOKEN_STATUSES = ['pending', 'active', 'cancelled', 'failed', 'revoked'] as const
export const PaymentMethodTokenStatus = z.enum(PAYMENT_METHOD_TOKEN_STATUSES)
export type PaymentMethodTokenStatus = z.infer<typeof PaymentMethodTokenStatus>

/** What a buyer recognises a saved card by. The full card number is never here. */
export const SavedCard = z.strictObject({
  brand: z.string(),
  last4: z.string().regex(/^\d{4}$/),
  /** Year and month. */
  expiry: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .optional(),
})
export type SavedCard = z.infer<typeof SavedCard>

/** A saved payment method. The card data stays with the provider. */
export const PaymentMethodToken = z.strictObject({
  id: z.string(),
  providerRoute: PaymentProvider,
  status: PaymentMethodTokenStatus,
  customerConsentId: z.string(),
  customer: Customer.optional(),
  metadata: Metadata.optional(),
  card: SavedCard.optional(),
  /** The buyer can save a card until then. Only a pending token has it. */
  expiresAt: DateTime.optional(),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type PaymentMethodToken = z.infer<typeof PaymentMethodToken>

export const CreateTokenizationIntentRequest = z.strictObject({
  providerRoute: PaymentProvider,
  customerConsentId: text(1, TOKEN_ID_MAX_CHARS),
  returnUrl: ReturnUrl.optional(),
  customer: Customer.optional(),
  metadata: Metadata.optional(),
})
export type CreateTokenizationIntentRequest = z.infer<typeof CreateTokenizationIntentRequest>

export const PaymentMethodTokenPath = z.strictObject({ tokenId: text(1, TOKEN_ID_MAX_CHARS) })

export const TokenizationResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  operation: PaymentOperation,
  token: PaymentMethodToken,
  setupUrl: z.url(),
})
export type TokenizationResponse = z.infer<typeof TokenizationResponse>

export const TokenRevocationResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  operation: PaymentOperation,
  token: PaymentMethodToken,
})
export type TokenRevocationResponse = z.infer<typeof TokenRevocationResponse>
