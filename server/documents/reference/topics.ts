/** The topics of an integration, in the order in which a developer needs them. The endpoints have pages of their own. */
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { sampleMark } from '../../http/docs/built.ts'
import { EXAMPLE_EVENT, withBaseUrl } from '../../http/openapi/examples.ts'
import { html, type Markup } from '../../pages/html.ts'
import { canMove } from '../../payments/status.ts'
import { TOKEN_VARIABLE, VERIFY_SAMPLES } from './client-calls.ts'
import { receiverKits } from './kits.ts'
import { limits } from './limits.ts'
import { buttonPayments, subscriptionPayments } from './matching.ts'
import { codeBlock, paragraphs, prose, table } from './prose.ts'

export type Topic = {
  id: string
  title: string
  summary: string
  content(baseUrl: string): Markup
  samples?: Record<string, Record<string, string>>
  /** Names that a search finds at an anchor of their own. */
  terms?(): { id: string; name: string; text: string }[]
}

/** The operation that the quickstart shows, and the name of its examples. */
export const FIRST_CALL = { id: 'createPaymentSession', sample: 'first-call' }

function quickstart(baseUrl: string): Markup {
  const steps = [
    'Get a merchant token from whoever runs your payment service. In sandbox mode the service prints one when it starts.',
    'Create a payment session from your back end and send the buyer to its `checkoutUrl`.',
    'The buyer pays and comes back to your `returnUrl`. The return proves nothing, because anybody can open an address.',
    'Receive the event at your callback URL, or look the payment up. Deliver only when the status is `paid` and the amount, the currency and `merchantOrderId` are the ones that you asked for. For a sale of the button, compare with your own price for its product.',
  ]
  return html`
    <ol>${steps.map((step) => html`<li>${prose(step)}</li>`)}</ol>
    <p>See that the service answers. This needs no token:</p>
    ${codeBlock(`curl -sS ${baseUrl}/api/health`, 'Shell')}
    <p>${prose('Every example of the reference is complete. It reads the token from the environment:')}</p>
    ${codeBlock(`export ${TOKEN_VARIABLE}=ksk_sandbox_...`, 'Shell')}
    <p>${prose('Paste this into the same shell. It creates a payment, with the client of your language if you choose one. Open the `checkoutUrl` that it prints, and pay:')}</p>
    ${sampleMark(FIRST_CALL.sample)}
    <p><a href="/docs/clients">The clients</a> have every other call too. <a href="/docs/api/receiver-kits">The receiver kits</a> receive the event.</p>
    <p>If an example needs something of yours, such as a payment’s id, the page says what to replace. All other examples run as they are.</p>
    <p>To try everything without money, read <a href="/docs/testing">the guide on testing</a>. For programs, the same reference is <a href=${`${baseUrl}/openapi.json`}>openapi.json</a> (OpenAPI 3.1).</p>`
}

const authentication = () =>
  paragraphs(
    'Every endpoint under `/v1` needs the header `Authorization: Bearer <MERCHANT_API_TOKEN>`. Keep the token in your back end. Never put it into a web page, an app or a repository. A request without a valid token gets 401, before anything else in it is checked.',
    'A token has scopes, and each endpoint names the scope that it needs. A token without that scope gets 403 `insufficient_scope`. When a token is rotated, the old one keeps working for a while beside the new one. A revoked token stops working within a second.',
    'Write `Bearer` and a space in front of the token. Without them it is not read as a token.',
    'Call from server to server. A request with an `Origin` header gets 403, unless that origin is registered for the merchant. Browsers get no CORS headers for these addresses, so a web page cannot read the response.',
    'The pay button uses a public key instead of a token. The key is bound to exact origins and may stand in a web page.',
  )

const idempotency = () =>
  paragraphs(
    'An `Idempotency-Key` stands for one attempt. Send the same key with every retry of that attempt, and a new key when the buyer starts a new attempt. A key has 1 to 160 printable ASCII characters. Your order number with a counter is a good key.',
    'The first request returns 201. A repeated request returns 200 with the header `X-Idempotent-Replay: true`, the same ids and addresses, and the current state. The same key with a different body is rejected with 422 `idempotency_key_reused`.',
    'If two requests with one key run at once, the second waits for the first. After ten seconds it gets 503 `request_in_progress` with `Retry-After`. A request that was rejected (401, 403, 404, 409, 422, 429, 503) does not use up its key. Remove the cause and send the same key again.',
    'After a timeout or a 5xx, repeat the request with the same key. This never creates a second payable order.',
  )

const requests = () =>
  paragraphs(
    'A body is one JSON object in UTF-8 with `Content-Type: application/json`. Other parameters of the media type are ignored. Properties that the endpoint does not know are rejected, so a misspelt name is found.',
    'An optional field may be left out or be `null`: both mean the same. A list without elements is read as an object without properties where an object is expected, because PHP writes `[]` for both. The host of a return address may be written in its own script, and is kept as `xn--...`.',
    'What JSON itself leaves open is rejected with 422 and its place: a name that stands twice in one object, and a number with more digits than JSON numbers keep. Send such a number as text.',
  )

const money = (): Markup => html`
  ${paragraphs('`amountMinor` is an integer in minor units, from 1 to 1 000 000 000 000. A provider may take less: `amountBounds` in `GET /v1/capabilities` says what each route takes, and another amount gets 422. All three currencies have two decimals. Payment links also accept `amount` in major units. It is read digit by digit, so text such as `"15.00"` is safer than a number. A link in AMD accepts whole drams only. Sessions, products and subscriptions accept luma as well.')}
  ${table(
    ['Currency', 'Amount', 'amountMinor'],
    [
      ['AMD', '1 900 AMD', '`190000`'],
      ['USD', '19.00 USD', '`1900`'],
      ['EUR', '0.50 EUR', '`50`'],
    ],
  )}`

const WAIT = 'Do not deliver. Wait for an event, or keep polling.'
const OVER = 'Show the failure, or create a new payment.'
const BACK = 'Update accounting, CRM and support.'
const STATUSES: Record<PaymentStatus, [meaning: string, handling: string]> = {
  created: ['The payment is being opened at the provider.', WAIT],
  pending_redirect: ['The checkout address has been handed out.', WAIT],
  pending_payment: ['The buyer has reached the provider.', WAIT],
  authorized: ['The money is held, but not yet taken.', WAIT],
  paid: ['The money has been taken.', 'Deliver, after amount, currency and order reference match.'],
  failed: ['The attempt failed.', OVER],
  cancelled: ['The buyer cancelled.', OVER],
  expired: ['The time ran out, and no money moved.', OVER],
  reversed: ['The hold or the payment was undone, or the buyer won all of it in a dispute.', BACK],
  partially_refunded: ['A part of the money went back: by refunds, or by a lost dispute.', BACK],
  refunded: ['All of the money went back.', BACK],
  disputed: ['The buyer disputes the payment, or a part of it.', BACK],
  status_unknown: [
    'The provider’s answer is not clear.',
    'Put the order on hold. Neither deliver nor cancel it.',
  ],
}

/** Returns the statuses that a provider's report can lead to. */
const nextOf = (from: PaymentStatus): string =>
  PAYMENT_STATUSES.filter((to) => from !== to && canMove(from, to, 'provider'))
    .map((to) => `\`${to}\``)
    .join(', ')

const statuses = (): Markup => html`
  ${table(
    ['Status', 'It means', 'What to do', 'Can become'],
    PAYMENT_STATUSES.map((status) => [`\`${status}\``, ...STATUSES[status], nextOf(status)]),
  )}
  ${paragraphs('A failed, cancelled or expired payment can still become `paid` when the provider says so. Money that arrives late is never dropped. A `pending_payment` with `processingSince` can take days: the provider is reviewing it, or a bank debit is on its way. Wait for its event, and do not ask the buyer to pay again. A refund can fail at the provider after it succeeded: `refunded` then becomes `partially_refunded` or `paid`, `partially_refunded` becomes `paid` or has a smaller `refundedMinor`, and the refund’s operation becomes `failed`. A `reversed` payment can become `paid`, `refunded` or `disputed`. Deliver an order once, also if its payment becomes `paid` again. If you poll, ask at most every 3 seconds, and less and less often.')}`

const ADVICE: Record<number, string> = {
  400: 'Use an HTTP library.',
  401: 'Do not retry. Check the token.',
  403: 'Do not retry. Check what the token or key may do, and from where.',
  404: 'Check the id or the address.',
  405: 'Use a method that the header `Allow` lists.',
  408: 'Send the request again.',
  409: 'Look the payment up. Its state does not allow this operation, or the route does not offer it.',
  413: 'Send a smaller body.',
  414: 'Use a shorter address.',
  417: 'Leave out the header Expect.',
  422: 'Correct the request. `errors` names each wrong field and the reason.',
  429: 'Wait for `Retry-After` plus a random time, then send the request again.',
  431: 'Send fewer or shorter headers.',
  500: 'Send the request again later with the same Idempotency-Key. If it keeps failing, give the request id to whoever runs your payment service.',
  501: 'Ask whoever runs your payment service. Nothing carries out this operation on the route.',
  503: 'Wait for `Retry-After`, then send the request again with the same Idempotency-Key. If `retryable` is false, ask whoever runs your payment service first.',
}

type ErrorRow = { status: number; message: string; hint?: string }
const adviceOf = ({ hint, status }: ErrorRow) => hint ?? ADVICE[status] ?? ''
const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** Returns every error code, so that a search leads to its row. */
function errorTerms(): { id: string; name: string; text: string }[] {
  return ERROR_CODES.map((code) => {
    const row: ErrorRow = ERRORS[code]
    return { id: `error-${code}`, name: code, text: `${row.status}: ${row.message} ${adviceOf(row)}` }
  })
}

const errors = (): Markup => html`
  ${paragraphs('Every error is JSON. `ok` is false. `error` has a stable `code`, a `message` for people, and the `requestId` that is also in the header `X-Request-Id`. `hint` says what you can do. `retryable` is true if the same request may succeed later, and false if it fails until somebody corrects the cause. A 422 also has `errors`, with one sentence for each wrong field. Let your program decide by `code`, because messages may change.')}
  ${table(
    ['Code', 'HTTP', 'It means', 'What to do'],
    ERROR_CODES.map((code) => {
      const row: ErrorRow = ERRORS[code]
      const name = html`<code id=${`error-${code}`}>${code}</code>`
      return [name, String(row.status), row.message, adviceOf(row)]
    }),
  )}`

const events = (baseUrl: string): Markup => html`
  ${paragraphs(
    'After every change of a payment’s status, the service posts `payment.status_changed` to your callback URL. A change to `created` or `pending_redirect` sends no event, because the response to your own request already says so. Return 2xx quickly, and do the work afterwards. After any other response the event is sent again: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, byte for byte the same.',
    'Verify the event before you do anything else. The header `X-SERVICE-Signature: t=<unix seconds>,v1=<hex>` holds the HMAC-SHA256 of `<t>.<raw body>`. The key is your webhook secret as text, including `whsec_`. Use the raw bytes of the body, not JSON that was parsed and written again. Reject a `t` that is more than 300 seconds away from your clock. While a secret is being rotated there are two `v1`: accept either.',
    '`sequence` counts the events of a payment from 1. Keep the newest state of each payment in your database, and ignore an event whose `sequence` is not higher: it came twice or late. Keep that state until your shop has handled it. Otherwise you lose a sale if your shop was down for `paid` and a refund came next.',
    'Decide each order once, in one transaction and under a unique key. Two processes can get the same event at once, and a buyer can pay one order twice.',
  )}
  ${sampleMark('verify-event')}
  ${codeBlock(JSON.stringify(withBaseUrl(EXAMPLE_EVENT, baseUrl), null, 2), 'An event')}
  <p>${prose('The headers of Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) are sent as well, so a library for that standard works too.')} <a href="/docs/api/receiver-kits">The receiver kits</a> are for Node, Express, Python, Flask, FastAPI, Django, PHP and Laravel.</p>`

export const TOPICS: readonly Topic[] = [
  {
    id: 'quickstart',
    title: 'Quickstart',
    summary: 'From a token to a paid order in four steps.',
    content: quickstart,
  },
  {
    id: 'authentication',
    title: 'Authentication',
    summary: 'Merchant tokens, their scopes, and public keys.',
    content: authentication,
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    summary: 'How a retry never creates a second payable order.',
    content: idempotency,
  },
  {
    id: 'requests',
    title: 'Requests',
    summary: 'How a body is written, and what is understood in the JSON of other languages.',
    content: requests,
  },
  { id: 'money', title: 'Money', summary: 'Minor units, currencies and bounds of amounts.', content: money },
  {
    id: 'statuses',
    title: 'Statuses',
    summary: 'What each status of a payment means, and what to do.',
    content: statuses,
  },
  {
    id: 'errors',
    title: 'Errors',
    summary: 'Every error code, and what to do about it.',
    content: errors,
    terms: errorTerms,
  },
  { id: 'limits', title: 'Rate limits', summary: 'How many requests this server accepts.', content: limits },
  {
    id: 'events',
    title: 'Events',
    summary: 'What is posted to your callback URL, and how to verify it.',
    content: events,
    samples: { 'verify-event': VERIFY_SAMPLES },
  },
  {
    id: 'button-payments',
    title: 'Payments from the button',
    summary: 'What a sale of the button holds, and when to deliver.',
    content: buttonPayments,
  },
  {
    id: 'subscription-payments',
    title: 'Payments from subscriptions',
    summary: 'What a charge of a subscription holds, and when to deliver.',
    content: subscriptionPayments,
  },
  {
    id: 'receiver-kits',
    title: 'Receiver kits',
    summary: 'A few lines for each framework that receive events, to copy and fill in.',
    content: receiverKits,
  },
]
