import { z } from 'zod'
import { AmountMinor, DateTime, FIELDS, MEANS, Metadata, PaymentProvider } from './fields.ts'
import { text } from './formats.ts'
import { PaymentOperation } from './operation.ts'
import { TOKEN_ID_MAX_CHARS } from './payment-method-token.ts'

const INTERVAL = {
  description:
    'The length of a period. Dates are in UTC and keep the day of the month on which the subscription began: 31 January, 28 February, 31 March.',
}

const PRICE = { description: 'The price of a period, in minor units.' }

const SAVED_CARD = {
  description: 'The saved card that is charged. It must be active and saved on the same route.',
}

const REFERENCE = {
  description:
    'Your own reference for the subscription. Only one subscription with this reference can run at a time. The `merchantOrderId` of its payments is this reference, a slash and the period. A longer one than 120 characters is cut, and ends in `~`, 10 characters of its SHA-256, a slash and the period.',
}

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
  id: z.string().meta(MEANS.id),
  providerRoute: PaymentProvider.meta({ description: 'The provider route that charges.' }),
  merchantSubscriptionId: z.string().meta(REFERENCE),
  paymentTokenId: z.string().meta(SAVED_CARD),
  amountMinor: AmountMinor.meta(PRICE),
  currency: FIELDS.currency,
  interval: SubscriptionInterval.meta(INTERVAL),
  description: z.string().meta(MEANS.description),
  metadata: Metadata.optional(),
  status: SubscriptionStatus.meta({
    description:
      '`incomplete` until the first period is paid, then `active`. `past_due`: the last charge failed and will be retried. `cancelled`: it has ended.',
  }),
  cancelReason: CancelReason.optional().meta({ description: 'The reason why it ended.' }),
  cancelledAt: DateTime.optional().meta({ description: 'When it ended: ISO 8601, UTC.' }),
  currentPeriod: z
    .int()
    .min(1)
    .meta({ description: 'The period that was charged last, or that is charged next, counted from 1.' }),
  currentPeriodStart: DateTime.meta({ description: 'When that period begins: ISO 8601, UTC.' }),
  currentPeriodEnd: DateTime.meta({ description: 'When that period ends and the next one begins.' }),
  nextChargeAt: DateTime.optional().meta({
    description:
      'When it is charged next. Absent after the end, and while the outcome of a charge is unknown. Nothing else is charged until then.',
  }),
  attempts: z.int().min(0).meta({ description: 'How often the current period’s charge has been sent.' }),
  latestPaymentId: z.string().optional().meta({ description: 'The latest payment of the current period.' }),
  createdAt: FIELDS.createdAt,
  updatedAt: FIELDS.updatedAt,
})
export type Subscription = z.infer<typeof Subscription>

export const CreateSubscriptionRequest = z.strictObject({
  providerRoute: PaymentProvider.meta({
    description: 'The provider route that charges. It must be the token’s route.',
  }),
  merchantSubscriptionId: text(1, 120).meta(REFERENCE),
  paymentTokenId: text(1, TOKEN_ID_MAX_CHARS).meta(SAVED_CARD),
  amountMinor: AmountMinor.meta(PRICE),
  currency: FIELDS.currency,
  interval: SubscriptionInterval.meta(INTERVAL),
  description: text(1, 600).meta(MEANS.description),
  metadata: Metadata.optional(),
})
export type CreateSubscriptionRequest = z.infer<typeof CreateSubscriptionRequest>

const SUBSCRIPTION_ID_MAX_CHARS = 160
export const SubscriptionPath = z.strictObject({
  subscriptionId: text(1, SUBSCRIPTION_ID_MAX_CHARS).meta({
    description: 'The subscription’s identifier, such as `sub_test_01k9zq…`.',
  }),
})

export const SubscriptionResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  operation: PaymentOperation.meta({
    description:
      'The operation as it is now. A creation succeeds when a period is paid for the first time, and fails if that never happens.',
  }),
  subscription: Subscription.meta({ description: 'The subscription as it is now.' }),
})
export type SubscriptionResponse = z.infer<typeof SubscriptionResponse>
