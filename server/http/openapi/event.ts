/** The one event, as the document's `webhooks` section describes it. */
import { PaymentStatusChanged } from '../../contract/event.ts'
import { EXAMPLE_EVENT, withBaseUrl } from './examples.ts'
import { schemaOf } from './schemas.ts'

const SIGNATURE =
  '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`. The key is your webhook secret as text, including ' +
  '`whsec_`. While a secret is being rotated there is one `v1` for each live secret: accept any of them. ' +
  'Reject a `t` that is more than 300 seconds away from your clock.'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

export function eventWebhooks(baseUrl: string) {
  return {
    'payment.status_changed': {
      post: {
        operationId: 'paymentStatusChanged',
        tags: ['Events'],
        // Its signature proves who sends it. No security scheme of this document applies.
        security: [],
        summary: 'A payment’s status changed',
        description:
          'Posted to your callback URL after every change of status, except those that the response to your own request ' +
          'already shows. Verify the signature over the raw body before anything else. Ignore ids that you have stored ' +
          'before. Answer quickly and do the work afterwards. Until your receiver accepts it, the event is sent again: at ' +
          'once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, byte for byte the same.',
        parameters: [
          header('X-SERVICE-Signature', SIGNATURE, `t=1772357531,v1=${'5d'.repeat(32)}`),
          header('webhook-id', 'Standard Webhooks: the event’s identifier.', EXAMPLE_EVENT.id),
          header(
            'webhook-timestamp',
            'Standard Webhooks: the time of sending, in unix seconds.',
            '1772357531',
          ),
          header(
            'webhook-signature',
            'Standard Webhooks: `v1,<base64>` over `<id>.<timestamp>.<raw body>`, separated by spaces.',
            'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaOf(PaymentStatusChanged),
              example: withBaseUrl(EXAMPLE_EVENT, baseUrl),
            },
          },
        },
        responses: {
          '200': { description: 'Accepted. Any other 2xx accepts the event too.' },
          '410': { description: 'The receiver is gone. Events to this address are paused.' },
          default: {
            description:
              'Not accepted, a redirect included. The event is sent again. A Retry-After is respected.',
          },
        },
      },
    },
  }
}
