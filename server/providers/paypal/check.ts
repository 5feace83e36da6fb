/**
 * The checks of `account test` at PayPal: whether the credentials work, and whether the webhook leads here. Nothing is created.
 */
import type { Finding } from '../driver.ts'
import { askPaypal, CredentialsRefused, fetchToken, type PaypalCall, whyRefused } from './request.ts'
import { apiOf } from './settings.ts'
import { Webhook } from './wire.ts'

/** The events that change the status or the amounts of a payment. */
export const EVENTS = [
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

const good = (message: string): Finding => ({ ok: true, message })
const bad = (message: string): Finding => ({ ok: false, message })

export async function check(call: PaypalCall): Promise<Finding[]> {
  const { ENVIRONMENT } = call.settings
  let scopes: string[]
  try {
    scopes = (await fetchToken(call)).scope.split(' ').filter(Boolean)
  } catch (error) {
    if (!(error instanceof CredentialsRefused)) throw error
    return [
      bad(
        `${error.message}. Copy both again from the same app, and check that the app is a ${ENVIRONMENT} app: sandbox and live apps have different credentials.`,
      ),
    ]
  }
  const reached = good(`PayPal at ${apiOf(call.settings)} (${ENVIRONMENT}) accepts the credentials.`)
  return [reached, ...sayVault(call, scopes), ...(await checkWebhook(call)), ...(await checkDisputes(call))]
}

const VAULT_SCOPE = 'https://uri.paypal.com/services/vault/payment-tokens/readwrite'

/** The answer to the request for a token lists what the app may do. */
function sayVault({ settings }: PaypalCall, scopes: readonly string[]): Finding[] {
  if (settings.SAVED_METHODS !== 'enabled') return []
  if (scopes.includes(VAULT_SCOPE))
    return [{ ...good('PayPal lets the app save PayPal accounts.'), right: 'tokenization' }]
  if (scopes.length === 0) return [good('PayPal does not say whether the app may save PayPal accounts.')]
  return [
    {
      right: 'tokenization',
      ...bad(
        'PayPal has not granted this app to save PayPal accounts. Ask for "Vault" or "Save payment methods" on the page of the app, or set SAVED_METHODS=disabled.',
      ),
    },
  ]
}

async function checkWebhook(call: PaypalCall): Promise<Finding[]> {
  const { WEBHOOK_ID: id } = call.settings
  const path = `/callbacks/${call.account.id}`
  if (id === undefined)
    return [
      bad(
        `No webhook id is set. Make a webhook in the app at PayPal that leads to ${path} of this service, and set its id as WEBHOOK_ID.`,
      ),
    ]
  const said = await askPaypal(call, { method: 'GET', path: `/v1/notifications/webhooks/${id}` })
  if (said.kind === 'refused') {
    const why = `PayPal does not know the webhook ${id} of this app: copy the webhook's id from the app again.`
    return [bad(said.status === 404 ? why : whyRefused(said))]
  }
  const { url, event_types } = Webhook.parse(said.body)
  const names = event_types.map(({ name }) => name)
  const missing = names.includes('*') ? [] : EVENTS.filter((each) => !names.includes(each))
  const leadsHere = URL.canParse(url) && new URL(url).pathname.endsWith(path)
  return [
    leadsHere
      ? good('The webhook leads to the callback address of this account.')
      : bad(`The webhook leads to ${url}. It must lead to ${path} of this service.`),
    ...(missing.length > 0
      ? [bad(`The webhook does not tell of ${missing.join(', ')}. Add these events to it.`)]
      : []),
  ]
}

async function checkDisputes(call: PaypalCall): Promise<Finding[]> {
  const said = await askPaypal(call, { method: 'GET', path: '/v1/customer/disputes?page_size=1' })
  if (said.kind === 'ok') return [good('The app may read disputes.')]
  if (said.status === 403)
    return [
      bad(
        'The app may not read disputes. Turn on "Customer disputes" among the features of the app at PayPal.',
      ),
    ]
  return [bad(`Disputes cannot be read: ${whyRefused(said)}.`)]
}
