/** The examples of a saved card and of the subscription that charges it. */
import { BASE_URL, type Example } from './examples.ts'

const TOKEN_ID = 'pmt_test_01kcaa1b2cp70f6g7h8j9kmnpqrs2v3w4x5y'
const SUBSCRIPTION_ID = 'sub_test_01kcab2c3dp70f6g7h8j9kmnpqrs2v3w4x5y'
const OPERATION = { id: 'opr_test_01kcaa1b2cp70f6g7h8j9kmnpqrt2v3w4x5y', provider: 'route_a' } as const
const at = (createdAt: string) => ({ createdAt, updatedAt: createdAt })

const TOKEN = {
  id: TOKEN_ID,
  providerRoute: 'route_a',
  status: 'pending',
  customerConsentId: 'consent-2026-03-01-ani',
  customer: { email: 'ani@example.com' },
  expiresAt: '2026-03-01T11:00:00.000Z',
  ...at('2026-03-01T09:30:00.000Z'),
} as const

export const EXAMPLE_TOKEN = {
  idempotencyKey: 'ani-card-attempt-1',
  body: {
    providerRoute: 'route_a',
    customerConsentId: 'consent-2026-03-01-ani',
    returnUrl: 'https://shop.example/cards',
    customer: { email: 'ani@example.com' },
  },
  response: {
    ok: true,
    created: true,
    operation: {
      ...OPERATION,
      type: 'tokenization_intent',
      status: 'processing',
      ...at('2026-03-01T09:30:00.000Z'),
    },
    token: TOKEN,
    setupUrl: `${BASE_URL}/sandbox/bank/cards/kassa/01kcaa1b2c0f6g7h8j9kmnpqrs`,
  },
} as const satisfies Example

export const EXAMPLE_TOKEN_REVOCATION = {
  path: { tokenId: TOKEN_ID },
  idempotencyKey: 'ani-card-revoke-1',
  response: {
    ok: true,
    created: true,
    operation: {
      ...OPERATION,
      type: 'token_revoke',
      status: 'queued',
      ...at('2026-04-10T10:00:00.000Z'),
    },
    token: {
      ...TOKEN,
      status: 'revoked',
      card: { brand: 'visa', last4: '4242', expiry: '2034-12' },
      updatedAt: '2026-04-10T10:00:00.000Z',
    },
  },
} as const satisfies Example

const TERMS = {
  providerRoute: 'route_a',
  merchantSubscriptionId: 'tea-box-ani',
  paymentTokenId: TOKEN_ID,
  amountMinor: 1900,
  currency: 'USD',
  interval: 'month',
  description: 'A box of tea every month',
} as const
const SUBSCRIPTION = {
  id: SUBSCRIPTION_ID,
  ...TERMS,
  currentPeriod: 1,
  currentPeriodStart: '2026-03-31T10:00:00.000Z',
  currentPeriodEnd: '2026-04-30T10:00:00.000Z',
} as const

export const EXAMPLE_SUBSCRIPTION = {
  idempotencyKey: 'tea-box-ani-attempt-1',
  body: TERMS,
  response: {
    ok: true,
    created: true,
    operation: {
      ...OPERATION,
      type: 'subscription_create',
      status: 'processing',
      amountMinor: 1900,
      currency: 'USD',
      ...at('2026-03-31T10:00:00.000Z'),
    },
    subscription: {
      ...SUBSCRIPTION,
      status: 'incomplete',
      nextChargeAt: '2026-03-31T10:00:00.000Z',
      attempts: 0,
      ...at('2026-03-31T10:00:00.000Z'),
    },
  },
} as const satisfies Example

export const EXAMPLE_SUBSCRIPTION_CANCEL = {
  path: { subscriptionId: SUBSCRIPTION_ID },
  idempotencyKey: 'tea-box-ani-cancel-1',
  response: {
    ok: true,
    created: true,
    operation: {
      ...OPERATION,
      type: 'subscription_cancel',
      status: 'succeeded',
      ...at('2026-04-10T10:00:00.000Z'),
    },
    subscription: {
      ...SUBSCRIPTION,
      status: 'cancelled',
      cancelReason: 'requested',
      attempts: 1,
      latestPaymentId: 'pay_test_01kcab2c4vp70f6g7h8j9kmnpqrs2v3w4x5y',
      cancelledAt: '2026-04-10T10:00:00.000Z',
      createdAt: '2026-03-31T10:00:00.000Z',
      updatedAt: '2026-04-10T10:00:00.000Z',
    },
  },
} as const satisfies Example
