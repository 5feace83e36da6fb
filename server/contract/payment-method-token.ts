import { z } from 'zod'
import { DateTime, FIELDS, MEANS, Metadata, PaymentProvider } from './fields.ts'
import { ReturnUrl, text } from './formats.ts'
import { PaymentOperation } from './operation.ts'

const TOKEN = { description: 'The saved card as it is now.' }

const CONSENT = { description: 'Your own reference to the customer’s consent to be charged later.' }

export const TOKEN_ID_MAX_CHARS = 160

/**
 * `active`: the provider has confirmed that the card is saved. `failed`: no card was saved in time. Only an active token can be
 * charged.
 */
export const PAYMENT_METHOD_TOKEN_STATUSES = ['pending', 'active', 'cancelled', 'failed', 'revoked'] as const
export const PaymentMethodTokenStatus = z.enum(PAYMENT_METHOD_TOKEN_STATUSES)
export type PaymentMethodTokenStatus = z.infer<typeof PaymentMethodTokenStatus>

const EXPIRY = z.string().regex(/^\d{4}-\d{2}$/)

/** What a buyer recognises a saved card by. The full card number is never here. */
export const SavedCard = z.strictObject({
  brand: z.string().meta({ description: 'The card’s brand.' }),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .meta({ description: 'The last four digits.' }),
  expiry: EXPIRY.optional().meta({ description: 'Year and month: `2034-12`.' }),
})
export type SavedCard = z.infer<typeof SavedCard>

/** A saved payment method. The card data stays with the provider. */
export const PaymentMethodToken = z.strictObject({
  id: z.string().meta(MEANS.id),
  providerRoute: PaymentProvider.meta({ description: 'The provider route that keeps the card.' }),
  status: PaymentMethodTokenStatus.meta({
    description:
      '`pending`: the buyer has not decided. `active`: the card can be charged. `cancelled`: the buyer went back. `failed`: nobody saved a card in time. `revoked`: the card cannot be charged any more.',
  }),
  customerConsentId: z.string().meta(CONSENT),
  customer: FIELDS.customer.optional(),
  metadata: Metadata.optional(),
  card: SavedCard.optional().meta({
    description: 'What its owner recognises the card by. No other data of the card is stored.',
  }),
  expiresAt: DateTime.optional().meta({
    description:
      'The end of the time in which the card can be saved: ISO 8601. Only a `pending` token has it. The card’s own end is `card.expiry`.',
  }),
  createdAt: FIELDS.createdAt,
  updatedAt: FIELDS.updatedAt,
})
export type PaymentMethodToken = z.infer<typeof PaymentMethodToken>

export const CreateTokenizationIntentRequest = z.strictObject({
  providerRoute: PaymentProvider.meta({ description: 'The provider route whose page saves the card.' }),
  customerConsentId: text(1, TOKEN_ID_MAX_CHARS).meta(CONSENT),
  returnUrl: ReturnUrl.optional(),
  customer: FIELDS.customer.optional(),
  metadata: Metadata.optional(),
})
export type CreateTokenizationIntentRequest = z.infer<typeof CreateTokenizationIntentRequest>

export const PaymentMethodTokenPath = z.strictObject({
  tokenId: text(1, TOKEN_ID_MAX_CHARS).meta({
    description: 'The saved card’s identifier, such as `pmt_test_01k9zq…`.',
  }),
})

export const TokenizationResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  operation: PaymentOperation.meta({
    description: 'The operation as it is now. It ends when the buyer has decided.',
  }),
  token: PaymentMethodToken.meta(TOKEN),
  setupUrl: z
    .url()
    .meta({ description: 'The provider’s own page on which the card is saved. Send the buyer here.' }),
})
export type TokenizationResponse = z.infer<typeof TokenizationResponse>

export const TokenRevocationResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  operation: PaymentOperation.meta({
    description: 'The operation as it is now. It ends when the provider has deleted the card.',
  }),
  token: PaymentMethodToken.meta(TOKEN),
})
export type TokenRevocationResponse = z.infer<typeof TokenRevocationResponse>
