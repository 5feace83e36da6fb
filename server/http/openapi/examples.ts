/** All examples are about one order. `BASE_URL` in them stands for the reader's own server. */
export const BASE_URL = 'BASE_URL'

export type Example = {
  /** The values of `{name}` in the path. */
  path?: Record<string, string>
  query?: Record<string, string>
  /** Headers besides those that the declaration implies. */
  headers?: Record<string, string>
  idempotencyKey?: string
  body?: object
  response: object
}

const SHOP = 'https://shop.example'
const PAYMENT_ID = 'pay_test_01kca9m4v0p7f6g7h8j9kmnpqrst2v3w4x5y'

export const EXAMPLE_SESSION = {
  idempotencyKey: 'order-1001-attempt-1',
  body: {
    merchantOrderId: 'order-1001',
    amountMinor: 1900,
    currency: 'USD',
    returnUrl: `${SHOP}/thanks`,
    customer: { email: 'ani@example.com' },
    metadata: { basket: '7f3a' },
  },
  response: {
    ok: true,
    id: PAYMENT_ID,
    merchantOrderId: 'order-1001',
    provider: 'route_a',
    amountMinor: 1900,
    currency: 'USD',
    status: 'pending_redirect',
    fiscalStatus: 'not_required',
    livemode: false,
    capturedMinor: 0,
    refundedMinor: 0,
    checkoutUrl: `${BASE_URL}/checkout/${PAYMENT_ID}`,
    providerCheckoutUrl: `${BASE_URL}/sandbox/bank/orders/kassa/f6g7h8j9kmnpqrst2v3w4x5y`,
    customer: { email: 'ani@example.com' },
    metadata: { basket: '7f3a' },
    createdAt: '2026-03-01T09:30:00.000Z',
    updatedAt: '2026-03-01T09:30:00.000Z',
  },
} as const satisfies Example

/** A payment that is over is not paid at the provider any more. */
function withoutPages({ providerCheckoutUrl: _, ...payment }: typeof EXAMPLE_SESSION.response) {
  return payment
}

export const EXAMPLE_CANCEL = {
  path: { paymentId: PAYMENT_ID },
  idempotencyKey: 'order-1001-cancel-1',
  body: { reason: 'The buyer has changed the basket' },
  response: {
    ok: true,
    created: true,
    payment: {
      ...withoutPages(EXAMPLE_SESSION.response),
      status: 'cancelled',
      updatedAt: '2026-03-01T09:31:00.000Z',
    },
  },
} as const satisfies Example

export const EXAMPLE_LINK = {
  idempotencyKey: 'invoice-77-attempt-1',
  body: {
    amount: '15.00',
    currency: 'EUR',
    description: 'Invoice 77',
    merchantOrderId: 'invoice-77',
    returnUrl: `${SHOP}/thanks`,
  },
  response: {
    ok: true,
    created: true,
    linkId: 'lnk_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y',
    paymentId: 'pay_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y',
    paymentUrl: `${BASE_URL}/link/lnk_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y`,
    checkoutUrl: `${BASE_URL}/checkout/pay_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y`,
    expiresAt: '2026-03-08T09:30:00.000Z',
    status: 'pending_redirect',
    qr: {
      type: 'url',
      value: `${BASE_URL}/link/lnk_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y`,
      proofOfPayment: 'webhook_or_reconciliation_only',
    },
    payment: {
      id: 'pay_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y',
      merchantOrderId: 'invoice-77',
      provider: 'route_a',
      amountMinor: 1500,
      currency: 'EUR',
      status: 'pending_redirect',
      fiscalStatus: 'not_required',
      livemode: false,
      capturedMinor: 0,
      refundedMinor: 0,
      checkoutUrl: `${BASE_URL}/checkout/pay_test_01kca9m4v0p7f6g7h8j9kmnpqrsv2v3w4x5y`,
      createdAt: '2026-03-01T09:30:00.000Z',
      updatedAt: '2026-03-01T09:30:00.000Z',
    },
  },
} as const satisfies Example

export const EXAMPLE_WIDGET_CHECKOUT = {
  headers: { Origin: SHOP },
  body: {
    publicKey: 'kpk_YOUR_PUBLIC_KEY',
    productId: 'tea',
    clientReference: 'click-9d41',
    returnUrl: `${SHOP}/thanks`,
  },
  response: {
    ok: true,
    created: true,
    paymentId: PAYMENT_ID,
    checkoutUrl: `${BASE_URL}/checkout/${PAYMENT_ID}`,
    status: 'pending_redirect',
    amountMinor: 1900,
    currency: 'USD',
    product: { id: 'tea', name: 'Tea' },
    expiresAt: '2026-03-01T11:00:00.000Z',
  },
} as const satisfies Example

const { providerCheckoutUrl: _paidThere, ...shownAfterwards } = EXAMPLE_SESSION.response
const OPERATION = {
  id: 'opr_test_01kcaa1b2cp70f6g7h8j9kmnpqrs2v3w4x5y',
  paymentSessionId: PAYMENT_ID,
  provider: 'route_a',
  status: 'queued',
  currency: 'USD',
  createdAt: '2026-03-02T10:00:00.000Z',
  updatedAt: '2026-03-02T10:00:00.000Z',
} as const
const path = { paymentId: PAYMENT_ID }
/** Most refunds are decided within a second, so the same response tells the shop. */
const WAITING = { Prefer: 'wait=3' }

export const EXAMPLE_REFUND = {
  path,
  idempotencyKey: 'order-1001-refund-1',
  headers: WAITING,
  body: { amountMinor: 500, reason: 'One of two cups was broken' },
  response: {
    ok: true,
    created: true,
    operation: { ...OPERATION, type: 'refund', amountMinor: 500 },
    payment: {
      ...shownAfterwards,
      status: 'paid',
      capturedMinor: 1900,
      updatedAt: '2026-03-01T09:32:11.000Z',
    },
  },
} as const satisfies Example

export const EXAMPLE_CAPTURE = {
  path,
  idempotencyKey: 'order-1001-capture-1',
  headers: WAITING,
  body: { amountMinor: 1900 },
  response: {
    ok: true,
    created: true,
    operation: { ...OPERATION, type: 'capture', amountMinor: 1900 },
    payment: { ...shownAfterwards, status: 'authorized', updatedAt: '2026-03-01T09:32:11.000Z' },
  },
} as const satisfies Example

export const EXAMPLE_VOID = {
  path,
  idempotencyKey: 'order-1001-void-1',
  headers: WAITING,
  body: { reason: 'The buyer changed their mind' },
  response: {
    ok: true,
    created: true,
    operation: { ...OPERATION, type: 'void', amountMinor: 1900 },
    payment: { ...shownAfterwards, status: 'authorized', updatedAt: '2026-03-01T09:32:11.000Z' },
  },
} as const satisfies Example

export const EXAMPLE_FISCAL_RETRY = {
  path,
  idempotencyKey: 'order-1001-receipt-1',
  headers: WAITING,
  response: {
    ok: true,
    created: true,
    operation: { ...OPERATION, type: 'fiscal_retry', status: 'processing' },
    payment: {
      ...shownAfterwards,
      status: 'paid',
      fiscalStatus: 'pending',
      livemode: false,
      capturedMinor: 1900,
      refundedMinor: 0,
      updatedAt: '2026-03-02T10:00:00.000Z',
    },
  },
} as const satisfies Example

const { ok: _, providerCheckoutUrl: __, ...session } = EXAMPLE_SESSION.response
const paid = {
  ...session,
  status: 'paid',
  capturedMinor: 1900,
  updatedAt: '2026-03-01T09:32:11.000Z',
} as const

export const EXAMPLE_EVENT = {
  id: 'evt_test_01kca9r2d0p7f6g7h8j9kmnpqrst2v3w4x5y',
  type: 'payment.status_changed',
  createdAt: '2026-03-01T09:32:11.000Z',
  livemode: false,
  sequence: 2,
  payment: paid,
  data: {
    payment: {
      id: PAYMENT_ID,
      merchantOrderId: 'order-1001',
      amountMinor: 1900,
      currency: 'USD',
      status: 'paid',
    },
  },
}

/** The examples with the address of the server that shows them. */
export function withBaseUrl<T>(example: T, baseUrl: string): T {
  return JSON.parse(JSON.stringify(example).replaceAll(BASE_URL, baseUrl)) as T
}
