/** `account test`: what is wrong with the key, the account or the webhook endpoint, in plain words. */
import { z } from 'zod'
import { AccountRefusedError } from '../driver/refusal.ts'
import type { Finding } from '../driver.ts'
import { ask, read, type StripeCall } from './client.ts'
import { EVENTS } from './inbound.ts'
import { modeOfKey, webhookSecretsOf } from './settings.ts'
import { StripeAccount } from './shapes.ts'

const Endpoints = z.object({
  data: z.array(
    z.object({
      url: z.string(),
      status: z.string(),
      enabled_events: z.array(z.string()),
      livemode: z.boolean(),
    }),
  ),
})

/** An address that gets thin events is only in this newer list. */
const Destinations = z.object({
  data: z.array(
    z.object({
      status: z.string(),
      enabled_events: z.array(z.string()),
      event_payload: z.string(),
      livemode: z.boolean(),
      webhook_endpoint: z.object({ url: z.string().nullish() }).nullish(),
    }),
  ),
})

/** `prefix`: the beginning of the names of its events. */
type Endpoint = { status: string; enabled_events: string[]; prefix: '' | 'v1.' }

const good = (message: string): Finding => ({ ok: true, message })
const bad = (message: string, refusal?: Finding['refusal']): Finding => ({
  ok: false,
  message,
  ...(refusal && { refusal }),
})

/** Returns the Stripe account of the key. A restricted key needs the permission `connected_account_read` for this. */
export async function readAccount(call: StripeCall): Promise<z.infer<typeof StripeAccount>> {
  return read(call, StripeAccount, await ask(call, (stripe) => stripe.accounts.retrieveCurrent()))
}

export async function check(call: StripeCall): Promise<Finding[]> {
  try {
    const account = await readAccount(call)
    return [...sayKey(call, account), ...(await checkEndpoint(call))]
  } catch (error) {
    const refusal = error instanceof AccountRefusedError ? error.refusal : null
    if (refusal === 'credentials')
      return [
        bad(
          'Stripe refuses the key in SECRET_KEY. Copy it again from the Dashboard: Developers, API keys.',
          refusal,
        ),
      ]
    if (refusal === 'rights')
      return [
        bad(
          'The key in SECRET_KEY may not read the account. Give the restricted key the permissions that the guide lists, or use the secret key.',
        ),
      ]
    throw error
  }
}

function sayKey(
  { settings, account }: StripeCall,
  { id, charges_enabled }: z.infer<typeof StripeAccount>,
): Finding[] {
  const mode = modeOfKey(settings.SECRET_KEY)
  if (id !== settings.ACCOUNT)
    return [
      bad(
        `The key belongs to the Stripe account ${id}, and ACCOUNT says ${settings.ACCOUNT}. Correct one of the two.`,
      ),
    ]
  const found = [good(`Stripe accepts the key: a ${mode} key of ${id}.`)]
  if ((mode === 'live') !== account.live)
    found.push(bad(`This is a ${mode} key in the ${account.live ? 'live world' : 'sandbox'}.`))
  // A test key takes test payments in any case.
  if (mode === 'live')
    found.push(
      charges_enabled
        ? { ...good('Stripe lets this account take payments.'), right: 'payment' }
        : bad(
            'Stripe does not let this account take payments yet. The first page of the Dashboard shows what is missing.',
            'account',
          ),
    )
  return found
}

/** The endpoint is found by the end of its address, which does not depend on where the service is reached. */
async function checkEndpoint(call: StripeCall): Promise<Finding[]> {
  const path = `/callbacks/${call.account.id}`
  if (webhookSecretsOf(call.settings).length === 0)
    return [
      bad(
        `WEBHOOK_SECRET is not set, so payments are noticed later. Make a webhook endpoint at Stripe whose address ends in ${path}, and copy its signing secret.`,
      ),
    ]
  const endpoint = (await findEndpoint(call, path)) ?? (await findDestination(call, path))
  if (!endpoint)
    return [bad(`No webhook endpoint at Stripe leads to ${path}. Make one, and copy its signing secret.`)]
  const { status, enabled_events: enabled, prefix } = endpoint
  const wanted = EVENTS.map((event) => `${prefix}${event}`)
  const absent = enabled.includes('*') ? [] : wanted.filter((event) => !enabled.includes(event))
  return [
    status === 'enabled'
      ? good(`Stripe sends events to ${path}.`)
      : bad('The webhook endpoint is disabled at Stripe. Enable it in the Dashboard: Developers, Webhooks.'),
    ...(absent.length > 0
      ? [bad(`The webhook endpoint does not send ${absent.join(', ')}. Add these events.`)]
      : []),
  ]
}

async function findEndpoint(call: StripeCall, path: string): Promise<Endpoint | undefined> {
  const answer = await ask(call, (stripe) => stripe.webhookEndpoints.list({ limit: 100 }))
  const found = read(call, Endpoints, answer).data.find(({ url }) => url.endsWith(path))
  return found && { ...found, prefix: '' }
}

/** A key without the permission for this list finds nothing in it. */
async function findDestination(call: StripeCall, path: string): Promise<Endpoint | undefined> {
  const page = { limit: 100, include: ['webhook_endpoint.url'] }
  try {
    const answer = await ask(call, (stripe) => stripe.v2.core.eventDestinations.list(page))
    const { data } = read(call, Destinations, answer)
    const found = data.find(({ webhook_endpoint: endpoint }) => endpoint?.url?.endsWith(path))
    return found && { ...found, prefix: found.event_payload === 'thin' ? 'v1.' : '' }
  } catch (error) {
    if (![400, 403, 404].includes(Number((error as { statusCode?: unknown }).statusCode))) throw error
    return undefined
  }
}
