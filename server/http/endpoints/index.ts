/** The list of the API's endpoints. Only these are served. */
import type { Endpoint } from '../endpoint.ts'
import { capabilities } from './capabilities.ts'
import { health } from './health.ts'
import { capturePayment, createRefund, getOperation, retryFiscalReceipt, voidPayment } from './operations.ts'
import { cancelPayment, createPaymentLink, createPaymentSession, lookUpPayment } from './payments.ts'
import { createPaymentMethodToken, revokePaymentMethodToken } from './saved-methods.ts'
import { cancelSubscription, createSubscription } from './subscriptions.ts'
import { widgetCheckout } from './widget-checkout.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  health,
  capabilities,
  createPaymentSession,
  createPaymentLink,
  lookUpPayment,
  getOperation,
  createRefund,
  capturePayment,
  voidPayment,
  cancelPayment,
  retryFiscalReceipt,
  createPaymentMethodToken,
  revokePaymentMethodToken,
  createSubscription,
  cancelSubscription,
  widgetCheckout,
]
