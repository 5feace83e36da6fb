import { z } from 'zod'
import { AmountMinor, CurrencyCode, DateTime } from './fields.ts'
import { PageReturnUrl, text } from './formats.ts'
import { PaymentStatus } from './payment.ts'

const PRICE_BELONGS_TO_REGISTRY = 'price comes from the product registry'

/** The request of the widget's button. The page must not name a price: `amount`, `price` or `currency` gets a field error. */
export const WidgetCheckoutRequest = z.strictObject({
  publicKey: text(1, 120),
  productId: text(1, 120),
  clientReference: text(1, 160),
  returnUrl: PageReturnUrl.optional(),
  amount: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
  price: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
  currency: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
})
export type WidgetCheckoutRequest = z.infer<typeof WidgetCheckoutRequest>

export const WidgetCheckoutResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  paymentId: z.string(),
  checkoutUrl: z.url(),
  status: PaymentStatus,
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  product: z.strictObject({ id: z.string(), name: z.string() }),
  expiresAt: DateTime,
})
export type WidgetCheckoutResponse = z.infer<typeof WidgetCheckoutResponse>
