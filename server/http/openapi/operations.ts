/** What the document adds to an endpoint's own declaration: its operation id, its tag and an example. */
import { VERSION } from '../../version.ts'
import type { Endpoint } from '../endpoint.ts'
import { EXAMPLE_CAPABILITIES } from './example-capabilities.ts'
import {
  EXAMPLE_SUBSCRIPTION,
  EXAMPLE_SUBSCRIPTION_CANCEL,
  EXAMPLE_TOKEN,
  EXAMPLE_TOKEN_REVOCATION,
} from './example-subscription.ts'
import {
  EXAMPLE_CANCEL,
  EXAMPLE_CAPTURE,
  EXAMPLE_FISCAL_RETRY,
  EXAMPLE_LINK,
  EXAMPLE_REFUND,
  EXAMPLE_SESSION,
  EXAMPLE_VOID,
  EXAMPLE_WIDGET_CHECKOUT,
  type Example,
} from './examples.ts'

export const TAGS = {
  Payments: 'Create a payment, send the buyer to its checkout, and look up its status.',
  Operations:
    'Refunds, captures, voids and receipts. They are guarded: a route must have them enabled, and the provider’s own records decide the result.',
  'Saved cards':
    'A card that is saved on the provider’s own page and can be charged later. The card number never reaches this service.',
  Subscriptions: 'A saved card that is charged once in each period, and the retries when a charge fails.',
  Widget: 'What the pay button on a web page calls. It needs no merchant token.',
  Service: 'The service itself: its health and what its routes can do.',
} as const

export type Operation = { id: string; tag: keyof typeof TAGS; example?: Example }

const OPERATIONS: Record<string, Operation> = {
  'GET /api/health': {
    id: 'health',
    tag: 'Service',
    example: { response: { ok: true, ready: true, service: 'kassa', version: VERSION, mode: 'sandbox' } },
  },
  'GET /v1/capabilities': {
    id: 'getCapabilities',
    tag: 'Service',
    example: { response: EXAMPLE_CAPABILITIES },
  },
  'POST /v1/payment-sessions': {
    id: 'createPaymentSession',
    tag: 'Payments',
    example: EXAMPLE_SESSION,
  },
  'POST /v1/payment-links': { id: 'createPaymentLink', tag: 'Payments', example: EXAMPLE_LINK },
  'GET /v1/payments': {
    id: 'lookUpPayment',
    tag: 'Payments',
    example: {
      query: { paymentId: EXAMPLE_SESSION.response.id },
      response: {
        ...EXAMPLE_SESSION.response,
        status: 'paid',
        capturedMinor: 1900,
        updatedAt: '2026-03-01T09:32:11.000Z',
      },
    },
  },
  'GET /v1/operations/:operationId': {
    id: 'getOperation',
    tag: 'Operations',
    example: {
      path: { operationId: EXAMPLE_REFUND.response.operation.id },
      response: { ...EXAMPLE_REFUND.response.operation, status: 'succeeded' },
    },
  },
  'POST /v1/payments/:paymentId/refunds': { id: 'createRefund', tag: 'Operations', example: EXAMPLE_REFUND },
  'POST /v1/payments/:paymentId/capture': {
    id: 'capturePayment',
    tag: 'Operations',
    example: EXAMPLE_CAPTURE,
  },
  'POST /v1/payments/:paymentId/void': { id: 'voidPayment', tag: 'Operations', example: EXAMPLE_VOID },
  'POST /v1/payments/:paymentId/cancel': {
    id: 'cancelPayment',
    tag: 'Payments',
    example: EXAMPLE_CANCEL,
  },
  'POST /v1/fiscal-receipts/:paymentId/retry': {
    id: 'retryFiscalReceipt',
    tag: 'Operations',
    example: EXAMPLE_FISCAL_RETRY,
  },
  'POST /v1/payment-method-tokens': {
    id: 'createPaymentMethodToken',
    tag: 'Saved cards',
    example: EXAMPLE_TOKEN,
  },
  'DELETE /v1/payment-method-tokens/:tokenId': {
    id: 'revokePaymentMethodToken',
    tag: 'Saved cards',
    example: EXAMPLE_TOKEN_REVOCATION,
  },
  'POST /v1/subscriptions': {
    id: 'createSubscription',
    tag: 'Subscriptions',
    example: EXAMPLE_SUBSCRIPTION,
  },
  'POST /v1/subscriptions/:subscriptionId/cancel': {
    id: 'cancelSubscription',
    tag: 'Subscriptions',
    example: EXAMPLE_SUBSCRIPTION_CANCEL,
  },
  'POST /api/widget/checkout': {
    id: 'createWidgetCheckout',
    tag: 'Widget',
    example: EXAMPLE_WIDGET_CHECKOUT,
  },
}

export const nameOfEndpoint = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`

/** An endpoint that is missing in the table still gets an id. A test then fails and asks for the line. */
export function operationOf(endpoint: Pick<Endpoint, 'method' | 'path'>): Operation {
  const name = nameOfEndpoint(endpoint)
  return OPERATIONS[name] ?? { id: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'), tag: 'Payments' }
}
