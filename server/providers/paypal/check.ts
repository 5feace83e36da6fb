/**
 * The checks of `account test` at PayPal: whether the credentials work, what the app may do, and whether the webhook leads here.
 * Nothing is created.
 */
import { type Finding, judgeAddress, ok, type ProviderRight, problem, unknown } from '../driver/finding.ts'
import { askPaypal, CredentialsRefused, fetchToken, type PaypalCall, whyRefused } from './request.ts'
import { apiOf } from './settings.ts'
import { Webhook } from './wire.ts'

/** The events that change the status or the amounts of a payment. */
const EVENTS = [
  'CHECKOUT.ORDER.APPROVED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.AUTHORIZATION.CREATED',
  'PAYMENT.AUTHORIZATION.VOIDED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.UPDATED',
  'CUSTOMER.DISPUTE.RESOLVED',
  'VAULT.PAYMENT-TOKEN.CREATED',
  'VAULT.PAYMENT-TOKEN.DELETED',
] as const

export async function check(call: PaypalCall, { callbackUrl }: { callbackUrl: string }): Promise<Finding[]> {
  const { ENVIRONMENT } = call.settings
  let scopes: string[]
  try {
    scopes = (await fetchToken(call)).scope.split(' ').filter(Boolean)
  } catch (error) {
    if (!(error instanceof CredentialsRefused)) throw error
    return [
      problem(
        `${error.message}. Copy both again from the same app, and check that the app is a ${ENVIRONMENT} app: sandbox and live apps have different credentials.`,
        { refusal: 'credentials' },
      ),
    ]
  }
  return [
    ok(`PayPal at ${apiOf(call.settings)} (${ENVIRONMENT}) accepts the credentials.`, {
      refusal: 'credentials',
    }),
    modeFinding(call),
    unknown(
      'PayPal has no harmless request that tells whose business account this app belongs to. Compare the page of the app with the account that should get the money.',
    ),
    ...rightsFindings(call, scopes),
    ...(await checkWebhook(call, callbackUrl)),
    await checkDisputes(call),
  ]
}

function modeFinding({ settings, account }: PaypalCall): Finding {
  const { ENVIRONMENT } = settings
  return (ENVIRONMENT === 'live') === account.live
    ? ok(`It is a ${ENVIRONMENT} app, as this world needs it.`)
    : problem(`This is a ${ENVIRONMENT} app in the ${account.live ? 'live world' : 'sandbox'}.`)
}

const SERVICES = 'https://uri.paypal.com/services'
const SAVING = `${SERVICES}/vault/payment-tokens/readwrite`

/**
 * The scopes that PayPal's documents require for each call. `isSure`: the documents name only one, so an app without it may not do
 * this. Apps whose tokens lack the scopes of orders can still create orders.
 */
const SCOPES: readonly { right: ProviderRight; may: string; scopes: readonly string[]; isSure: boolean }[] = [
  {
    right: 'payment',
    may: 'create payments',
    scopes: [
      `${SERVICES}/payments/payment`,
      `${SERVICES}/payments/realtimepayment`,
      `${SERVICES}/payments/initiatepayment`,
      `${SERVICES}/payments/orders/client-side-integration`,
    ],
    isSure: false,
  },
  { right: 'refund', may: 'refund', scopes: [`${SERVICES}/payments/refund`], isSure: true },
  {
    right: 'capture',
    may: 'capture holds',
    scopes: [`${SERVICES}/payments/payment/authcapture`],
    isSure: true,
  },
  { right: 'void', may: 'void holds', scopes: [`${SERVICES}/payments/payment/authcapture`], isSure: true },
  { right: 'tokenization', may: 'save PayPal accounts', scopes: [SAVING], isSure: true },
]

const ADVICE: Partial<Record<ProviderRight, string>> = {
  tokenization:
    'Ask for "Vault" or "Save payment methods" on the page of the app, or set SAVED_METHODS=disabled.',
}

/** The answer to the request for a token lists what the app may do. */
function rightsFindings({ settings }: PaypalCall, granted: readonly string[]): Finding[] {
  const required = SCOPES.filter(
    ({ right }) => right !== 'tokenization' || settings.SAVED_METHODS === 'enabled',
  )
  return required.map(({ right, may, scopes, isSure }) => {
    if (scopes.some((scope) => granted.includes(scope))) return ok(`PayPal lets the app ${may}.`, { right })
    if (granted.length === 0 || !isSure)
      return unknown(`PayPal does not say whether the app may ${may}.`, { right })
    const advice = ADVICE[right] ?? 'Look at the features on the page of the app.'
    return problem(`PayPal has not granted this app to ${may}. ${advice}`, { right })
  })
}

async function checkWebhook(call: PaypalCall, callbackUrl: string): Promise<Finding[]> {
  const { WEBHOOK_ID: id } = call.settings
  if (id === undefined)
    return [
      problem(
        `No webhook id is set. Make a webhook in the app at PayPal that leads to ${callbackUrl}, and set its id as WEBHOOK_ID.`,
      ),
    ]
  const answer = await askPaypal(call, {
    method: 'GET',
    path: `/v1/notifications/webhooks/${id}`,
    isExtra: true,
  })
  if (answer.kind === 'refused') {
    if (answer.status === 403) return [unknown(`The webhook cannot be read: ${whyRefused(answer)}.`)]
    const why = `PayPal does not know the webhook ${id} of this app: copy the webhook's id from the app again.`
    return [problem(answer.status === 404 ? why : whyRefused(answer))]
  }
  const { url, event_types } = Webhook.parse(answer.body)
  const names = event_types.map(({ name }) => name)
  const missing = names.includes('*') ? [] : EVENTS.filter((each) => !names.includes(each))
  return [
    judgeAddress(url, callbackUrl),
    missing.length === 0
      ? ok('The webhook tells of every event that is needed.')
      : problem(`The webhook does not tell of ${missing.join(', ')}. Add these events to it.`),
  ]
}

async function checkDisputes(call: PaypalCall): Promise<Finding> {
  const answer = await askPaypal(call, {
    method: 'GET',
    path: '/v1/customer/disputes?page_size=1',
    isExtra: true,
  })
  if (answer.kind === 'ok') return ok('The app may read disputes.')
  if (answer.status === 403)
    return problem(
      'The app may not read disputes. Turn on "Customer disputes" among the features of the app at PayPal.',
    )
  return unknown(`Disputes cannot be read: ${whyRefused(answer)}.`)
}
