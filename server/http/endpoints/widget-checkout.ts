import { WidgetCheckoutRequest, WidgetCheckoutResponse } from '../../contract/widget.ts'
import { cost } from '../../limits/cost.ts'
import { negotiateLocale } from '../../pages/words/locale.ts'
import { createWidgetCheckout } from '../../payments/creation/widget.ts'
import { endpoint } from '../endpoint.ts'

/** Four short texts: even in the longest spelling of every character they fit. */
const BODY_BYTES_MAX = 4 * 1024

export const widgetCheckout = endpoint({
  method: 'post',
  path: '/api/widget/checkout',
  auth: { kind: 'widget' },
  limited: 'widget',
  stranger: {
    body: BODY_BYTES_MAX,
    once: cost(10, { provider: 1, lines: 1, rows: 5 }),
    flood: cost(1),
  },
  summary: 'Create a checkout from a public key',
  description:
    "For the pay button on a web page. The Origin header must be one of the installation's origins. The price comes from " +
    'the product registry. One `clientReference` stands for one attempt while that attempt is open.',
  body: WidgetCheckoutRequest,
  bodyBytesMax: BODY_BYTES_MAX,
  response: WidgetCheckoutResponse,
  creates: true,
  errors: [
    'widget_key_invalid',
    'product_unknown',
    'amount_chosen_by_buyer',
    'return_url_not_allowed',
    'idempotency_key_reused',
    'request_in_progress',
    'provider_route_not_ready',
    'provider_route_unsupported',
    'provider_unavailable',
  ],
  async handle(ctx, { body: request, origin, address, languages }) {
    const locale = languages === undefined ? null : negotiateLocale(languages)
    const checkout = await createWidgetCheckout(ctx, { request, origin, locale, address: address() })
    return { created: checkout.created, body: checkout }
  },
})
