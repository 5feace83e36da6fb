import { z } from 'zod'
import { AmountMinor, CurrencyCode, DateTime, Metadata, PaymentProvider } from './fields.ts'
import { PaymentOperation } from './operation.ts'
import { TOKEN_ID_MAX_CHARS } from './payment-method-token.ts'

export const INTERVALS = ['day', 'week', 'month', 'quarter', 'year'] as const
export const SubscriptionInterval = z.enum(INTERVALS)
export type SubscriptionInterval = z.infer<typeof SubscriptionInterval>

/** `incomplete`: no period has been paid yet. `past_due`: the current period's last attempt failed, and there will be another. */
export const SUBSCRIPTION_STATUSES = ['incomplete', 'active', 'past_due', 'cancelled'] as const
export const SubscriptionStatus = z.enum(SUBSCRIPTION_STATUSES)
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

/** Why a subscription ended: asked for; the last retry failed; the bank said never again; the saved card is gone. */
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
  /** Counted from 1. */
  currentPeriod: z.int().min(1),
  currentPeriodStart: DateTime,
  currentPeriodEnd: DateTime,
  /** Absent once nothing more will be charged, and while the outcome of an attempt is not known. */
  nextChargeAt: DateTime.optional(),
  /** Made to charge the current period. */
  attempts: z.int().min(0),
  latestPaymentId: z.string().optional(),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Subscription = z.infer<typeof Subscription>

export const CreateSubscriptionRequest = z.strictObject({
  providerRoute: PaymentProvider,
  merchantSubscriptionId: z.string().min(1).max(120),
  paymentTokenId: z.string().min(1).max(TOKEN_ID_MAX_CHARS),
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  interval: SubscriptionInterval,
  description: z.string().min(1).max(600),
  metadata: Metadata.optional(),
})
export type CreateSubscriptionRequest = z.infer<typeof CreateSubscriptionRequest>

export const SUBSCRIPTION_ID_MAX_CHARS = 160
export const SubscriptionPath = z.strictObject({
  subscriptionId: z.string().min(1).max(SUBSCRIPTION_ID_MAX_CHARS),
})

export const SubscriptionResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  operation: PaymentOperation,
  subscription: Subscription,
})
export type SubscriptionResponse = z.infer<typeof SubscriptionResponse>
