/** The list of the API's endpoints. Only these are served. */
import type { Endpoint } from '../endpoint.ts'
import { cancelPayment } from './cancel-payment.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { capabilities } from './capabilities.ts'
import { capturePayment } from './capture-payment.ts'
import { createPaymentLink } from './create-payment-link.ts'
import { createPaymentSession } from './create-payment-session.ts'
import { createRefund } from './create-refund.ts'
import { createPaymentMethodToken } from './create-saved-method.ts'
import { createSubscription } from './create-subscription.ts'
import { health } from './health.ts'
import { getOperation } from './look-up-operation.ts'
import { lookUpPayment } from './look-up-payment.ts'
import { retryFiscalReceipt } from './retry-fiscal-receipt.ts'
import { revokePaymentMethodToken } from './revoke-saved-method.ts'
import { voidPayment } from './void-payment.ts'
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
