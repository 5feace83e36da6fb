import { z } from 'zod'
import { DateTime, FIELDS, MEANS } from './fields.ts'
import { PageReturnUrl, text } from './formats.ts'
import { PaymentStatus } from './payment.ts'

const PRICE_BELONGS_TO_REGISTRY = 'price comes from the product registry'

/** The request of the widget's button. The page must not name a price: `amount`, `price` or `currency` gets a field error. */
export const WidgetCheckoutRequest = z.strictObject({
  publicKey: text(1, 120).meta({
    description:
      'The installation’s public key, `kpk_…`. It is bound to exact origins and may stand in a web page.',
  }),
  productId: text(1, 120).meta({
    description: 'The product’s key in the registry. The registry decides the price.',
  }),
  clientReference: text(1, 160).meta({
    description: 'The browser’s own reference for one click or attempt. Retries send the same one.',
  }),
  returnUrl: PageReturnUrl.optional().meta({
    description:
      'Where the buyer’s browser goes afterwards. It must be on one of the installation’s origins. Required unless the installation has a default.',
  }),
  amount: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
  price: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
  currency: z.never(PRICE_BELONGS_TO_REGISTRY).optional(),
})
export type WidgetCheckoutRequest = z.infer<typeof WidgetCheckoutRequest>

export const WidgetCheckoutResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  paymentId: z.string().meta(MEANS.paymentId),
  checkoutUrl: z.url().meta(MEANS.checkoutUrl),
  status: PaymentStatus.meta(MEANS.status),
  amountMinor: FIELDS.amountMinor,
  currency: FIELDS.currency,
  product: z
    .strictObject({
      id: z.string().meta({ description: 'The product’s key.' }),
      name: z.string().meta({ description: 'Name, as people see it.' }),
    })
    .meta({ description: 'What is being bought, as the registry has it.' }),
  expiresAt: DateTime.meta(MEANS.expiresAt),
})
export type WidgetCheckoutResponse = z.infer<typeof WidgetCheckoutResponse>
