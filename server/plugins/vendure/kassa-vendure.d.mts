/** The types of kassa-vendure.mjs. */
import type { PaymentMethodHandler, Type } from '@vendure/core'

export declare const kassaHandler: PaymentMethodHandler<{
  url: { type: 'string' }
  token: { type: 'string' }
  webhookSecret: { type: 'string' }
}>
/** Put it into `plugins` of your VendureConfig. It has no options: a payment method holds the settings. */
export declare const KassaPlugin: Type<unknown>
