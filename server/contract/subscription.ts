import { z } from 'zod'
import { AmountMinor, CurrencyCode, DateTime, Metadata, PaymentProvider } from './fields.ts'
import { text } from './formats.ts'
import { PaymentOperation } from './operation.ts'
import { TOKEN_ID_MAX_CHARS } from './payment-method-token.ts'

export const INTERVALS = ['day', 'week', 'month', 'quarter', 'year'] as const
export const SubscriptionInterval = z.enum(INTERVALS)
export type SubscriptionInterval = z.infer<typeof SubscriptionInterval>

/** `incomplete`: no period has been paid yet. `past_due`: the current period's last charge failed, and another one will follow. */
export const SUBSCRIPTION_STATUSES = ['incomplete', 'active', 'past_due', 'cancelled'] as const
export const SubscriptionStatus = z.enum(SUBSCRIPTION_STATUSES)
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

/**
 * Why a subscription ended. `requested`: the merchant cancelled it. `retries_exhausted`: the last retry failed. `hard_decline`: the
 * bank will never accept a charge again. `token_revoked`: the saved card is not active any more.
 */
export const CANCEL_REASONS = ['requested', 'retries_exhausted', 'hard_decline', 'token_revoked'] as const
export const CancelReason = z.enum(CANCEL_REASONS)
export type CancelReason = z.infer<typeof CancelReason>

export const Subscription = z.strictObject({
  id: z.string(),
  providerRoute: PaymentProvider,
  merchantSubscriptionId: z.string(),
  paymentTokenId: z.string(),
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  interval: SubscriptionInterval,
  description: z.string(),
  metadata: Metadata.optional(),
  status: SubscriptionStatus,
  cancelReason: CancelReason.optional(),
  cancelledAt: DateTime.optional(),
  /** The first period is 1. */
  currentPeriod: z.int().min(1),
  currentPeriodStart: DateTime,
  currentPeriodEnd: DateTime,
  /** Absent when nothing will be charged any more, and while the outcome of a charge is not known. */
  nextChargeAt: DateTime.optional(),
  /** How often a charge for the current period has been sent. */
  attempts: z.int().min(0),
  latestPaymentId: z.string().optional(),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Subscription = z.infer<typeof Subscription>

export const CreateSubscriptionRequest = z.strictObject({
  providerRoute: PaymentProvider,
  merchantSubscriptionId: text(1, 120),
  paymentTokenId: text(1, TOKEN_ID_MAX_CHARS),
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  interval: SubscriptionInterval,
  description: text(1, 600),
  metadata: Metadata.optional(),
})
export type CreateSubscriptionRequest = z.infer<typeof CreateSubscriptionRequest>

const SUBSCRIPTION_ID_MAX_CHARS = 160
export const SubscriptionPath = z.strictObject({
  subscriptionId: text(1, SUBSCRIPTION_ID_MAX_CHARS),
})

export const SubscriptionResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  operation: PaymentOperation,
  subscription: Subscription,
})
export type SubscriptionResponse = z.infer<typeof SubscriptionResponse>
