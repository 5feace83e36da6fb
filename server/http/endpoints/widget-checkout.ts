import { WidgetCheckoutRequest } from '../../contract/widget.ts'
import { createWidgetCheckout } from '../../payments/widget.ts'
import { endpoint } from '../endpoint.ts'

export const widgetCheckout = endpoint({
  method: 'post',
  path: '/api/widget/checkout',
  auth: { kind: 'widget' },
  summary: 'Create a hosted checkout from a public widget key',
  body: WidgetCheckoutRequest,
  async handle(ctx, { body: request, origin }) {
    const checkout = await createWidgetCheckout(ctx, { request, origin })
    return { created: checkout.created, body: checkout }
  },
})
