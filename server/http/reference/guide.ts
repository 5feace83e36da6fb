/** The guide before the endpoints: what an integration has to know, in the order in which it needs it. */
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { RateLimits } from '../../limits/settings.ts'
import { EXAMPLE_EVENT, withBaseUrl } from '../openapi/examples.ts'
import { html, type Markup } from '../pages/html.ts'
import { receiverKits } from './kits.ts'
import { buttonPayments, subscriptionPayments } from './matching.ts'
import { codeBlock, paragraphs, prose, samples, table } from './prose.ts'
import { TOKEN_VARIABLE } from './samples.ts'
import { VERIFY_SAMPLES } from './verify-samples.ts'

/** What the guide says of this very server. */
export type ServerFacts = { baseUrl: string; rateLimits: RateLimits | null }

export type GuideSection = { id: string; title: string; content(server: ServerFacts): Markup }

function quickstart({ baseUrl }: ServerFacts): Markup {
  const steps = [
    'Get a merchant token from the operator: `npm run -s admin -- token issue --merchant ID`. In sandbox mode the start prints one.',
    'Create a payment session from your back end and send the buyer to its `checkoutUrl`.',
    'The buyer pays and comes back to your `returnUrl`. That proves nothing: anybody can open an address.',
    'Take the event at your callback URL, or look the payment up. Deliver only when it says `paid` and the amount, the currency and `merchantOrderId` are the ones that you asked for; of a sale of the button, your price for its product.',
  ]
  return html`
    <ol>${steps.map((step) => html`<li>${prose(step)}</li>`)}</ol>
    <p>${prose('The examples on this page are whole programs, which take the token from the environment. Those about something of yours name what to replace by it; the others run as they stand.')}</p>
    ${codeBlock(`export ${TOKEN_VARIABLE}=ksk_sandbox_...`, 'Shell')}
    <p>The machine-readable description is <a href=${`${baseUrl}/openapi.json`}>openapi.json</a> (OpenAPI 3.1).</p>`
}

const authentication = () =>
  paragraphs(
    'Every address under `/v1` wants `Authorization: Bearer <MERCHANT_API_TOKEN>`. Keep the token in your back end: never in a web page, an app or a repository. Without a valid one the answer is 401, whatever else the request says.',
    'A token has scopes; each endpoint names the one that it needs, and a token without it gets 403 `insufficient_scope`. Tokens are rotated with an overlap in which the old one works on, and a revocation is felt within a second.',
    'Call from server to server. A request that carries an `Origin` header is refused with 403 unless that origin is registered for the merchant.',
    'The widget has a public key instead, bound to exact origins; it may stand in a page.',
  )

const idempotency = () =>
  paragraphs(
    'One `Idempotency-Key` stands for one attempt: send the same key with every retry of an attempt, and a new key for a new attempt of the buyer. It is 1 to 160 printable ASCII characters; your order number with a counter will do.',
    'The first answer is 201. A repetition is 200 with the header `X-Idempotent-Replay: true`, the same ids and addresses, and the state of now. The same key with other content is 422 `idempotency_key_reused`.',
    'Two at once: the second waits for the first; after ten seconds it gets 503 `request_in_progress` with `Retry-After`. A refused request (401, 403, 404, 409, 422, 429, 503) leaves its key free, so that the same key works once the cause is gone.',
    'After a timeout or a 5xx, repeat the request with the same key: it never makes a second payable order.',
  )

const money = (): Markup => html`
  ${paragraphs('`amountMinor` is an integer of minor units, from 1 to 1 000 000 000 000. All three currencies have two decimals. Payment links also take `amount` in major units, read digit by digit: text such as `"15.00"` is safer than a number. A link in AMD takes whole drams only; sessions, products and subscriptions take luma as well.')}
  ${table(
    ['Currency', 'Amount', 'amountMinor'],
    [
      ['AMD', '1 900 AMD', '`190000`'],
      ['USD', '19.00 USD', '`1900`'],
      ['EUR', '0.50 EUR', '`50`'],
    ],
  )}`

const WAIT = 'Do not deliver. Wait for an event, or go on asking.'
const OVER = 'Show the failure, or create a new payment.'
const BACK = 'Synchronise accounting, CRM and support.'
const STATUSES: Record<PaymentStatus, [meaning: string, handling: string]> = {
  created: ['It is being opened at the provider.', WAIT],
  pending_redirect: ['The checkout address has been handed out.', WAIT],
  pending_payment: ['The buyer has reached the provider.', WAIT],
  authorized: ['The money is held and not yet taken.', WAIT],
  paid: ['The money has been taken.', 'Deliver, after amount, currency and order reference match.'],
  failed: ['The attempt came to nothing.', OVER],
  cancelled: ['The buyer turned back.', OVER],
  expired: ['The time ran out, and no money moved.', OVER],
  reversed: ['The hold or the payment was undone.', BACK],
  partially_refunded: ['A part went back.', BACK],
  refunded: ['All of it went back.', BACK],
  disputed: ['The buyer’s bank contests it.', BACK],
  status_unknown: ['The provider’s answer is not clear.', 'Hold the order: neither deliver nor cancel it.'],
}

const statuses = (): Markup => html`
  ${table(
    ['Status', 'It means', 'What to do'],
    PAYMENT_STATUSES.map((status) => [`\`${status}\``, ...STATUSES[status]]),
  )}
  ${paragraphs('A failed, cancelled or expired payment may still become `paid` on the provider’s own word: money that arrives late is not dropped. When you ask, ask at most every 3 seconds, and more and more slowly.')}`

const ADVICE: Record<number, string> = {
  400: 'Use an HTTP library.',
  401: 'Do not retry. Check the token.',
  403: 'Do not retry. Check what the token or the key is allowed to do, and from where.',
  404: 'Check the identifier or the address.',
  405: 'Use a method that the header `Allow` lists.',
  408: 'Repeat it.',
  409: 'Look the payment up: it is not in a state for this, or the route does not offer it.',
  413: 'Send less.',
  414: 'Use a shorter address.',
  417: 'Leave the header Expect out.',
  422: 'Mend the request: `errors` says which field and why.',
  429: 'Wait for `Retry-After`, then repeat it, with some randomness in the wait.',
  431: 'Send fewer or shorter headers.',
  500: 'Repeat it later with the same Idempotency-Key. If it stays, tell the operator the request id.',
  501: 'Ask the operator: nothing carries this operation out on the route.',
  503: 'Wait for `Retry-After`, then repeat it with the same Idempotency-Key.',
}

const errors = (): Markup => html`
  ${paragraphs('Every failure is JSON: `ok` is false, and `error` has a stable `code`, a `message` for people, and the `requestId` that is also in the header `X-Request-Id`. `hint` says what to do, `retryable` that the same request may succeed later. A 422 has `errors`: one sentence for each wrong field. Go by `code`; messages may change.')}
  ${table(
    ['Code', 'HTTP', 'It means', 'What to do'],
    (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
      const row: { status: number; message: string; hint?: string } = ERRORS[code]
      return [
        html`<code id=${`error-${code}`}>${code}</code>`,
        String(row.status),
        row.message,
        row.hint ?? ADVICE[row.status] ?? '',
      ]
    }),
  )}`

const LIMITED: Record<keyof RateLimits, string> = {
  write: 'creating, for each token',
  lookup: 'looking up, for each token',
  widget_address: 'the widget, for each address and public key',
  widget_key: 'the widget, for each public key',
  page: 'hosted pages, for each address',
  failed_token: 'wrong tokens, for each address',
  callback: 'callbacks of payment providers, for each address',
}

const pace = (perSecond: number) =>
  perSecond >= 1 ? `${perSecond} a second` : `one in ${Math.round(1 / perSecond)} seconds`

function limits({ rateLimits }: ServerFacts): Markup {
  if (!rateLimits) return paragraphs('This server limits nobody.')
  const names = Object.keys(LIMITED) as (keyof RateLimits)[]
  return html`
    ${paragraphs('A limit lets through a number of requests at once, and then a steady flow. Beyond it the answer is 429 `rate_limited` with `Retry-After` in seconds: wait for so long, with some randomness. `RateLimit` and `RateLimit-Policy` say how much is left before it comes to that.')}
    ${table(
      ['What is counted', 'At once', 'Then'],
      names.map((name) => [LIMITED[name], String(rateLimits[name].burst), pace(rateLimits[name].perSecond)]),
    )}`
}

const events = ({ baseUrl }: ServerFacts): Markup => html`
  ${paragraphs(
    'After every change of a payment’s status, `payment.status_changed` is posted to your callback URL, except when it becomes `created` or `pending_redirect`: the answer to the request that made it says so. Answer 2xx quickly and do the work afterwards. Anything else is sent again: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, byte for byte the same.',
    'Verify before you do anything else: the header `X-SERVICE-Signature: t=<unix seconds>,v1=<hex>` holds the HMAC-SHA256 of `<t>.<raw body>` with your webhook secret, the whole text with `whsec_`, as the key. Use the raw bytes, not JSON that was parsed and written again. Refuse a `t` that is more than 300 seconds away. While a secret is rotated there are two `v1`: accept either.',
    'Drop an `id` that you have seen. `sequence` rises with each change of a payment, so a lower one than you know is older news.',
  )}
  ${samples('verify-event', VERIFY_SAMPLES)}
  ${codeBlock(JSON.stringify(withBaseUrl(EXAMPLE_EVENT, baseUrl), null, 2), 'An event')}
  ${paragraphs('The headers of Standard Webhooks are sent beside it (`webhook-id`, `webhook-timestamp`, `webhook-signature`), so that a library for those works too.')}`

export const GUIDE: readonly GuideSection[] = [
  { id: 'quickstart', title: 'Quickstart', content: quickstart },
  { id: 'authentication', title: 'Authentication', content: authentication },
  { id: 'idempotency', title: 'Idempotency', content: idempotency },
  { id: 'money', title: 'Money', content: money },
  { id: 'statuses', title: 'Statuses', content: statuses },
  { id: 'errors', title: 'Errors', content: errors },
  { id: 'limits', title: 'Rate limits', content: limits },
  { id: 'events', title: 'Events', content: events },
  { id: 'button-payments', title: 'Payments from the button', content: buttonPayments },
  { id: 'subscription-payments', title: 'Payments from subscriptions', content: subscriptionPayments },
  { id: 'receiver-kits', title: 'Receiver kits', content: receiverKits },
]
