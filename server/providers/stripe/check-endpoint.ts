/** Whether Stripe sends events to this account's address, which ones and in which style. */
import { z } from 'zod'
import { type Finding, judgeAddress, ok, problem, unknown } from '../driver/finding.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import { askStripe, read, refusalOf, type StripeCall } from './client.ts'
import { EVENTS } from './inbound.ts'
import { webhookSecretsOf } from './settings.ts'

const Endpoints = z.object({
  data: z.array(
    z.object({
      url: z.string(),
      status: z.string(),
      enabled_events: z.array(z.string()),
      livemode: z.boolean(),
      api_version: z.string().nullish(),
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
      snapshot_api_version: z.string().nullish(),
      livemode: z.boolean(),
      webhook_endpoint: z.object({ url: z.string().nullish() }).nullish(),
    }),
  ),
})

type Endpoint = {
  url: string
  status: string
  enabled_events: string[]
  isThin: boolean
  version: string | null
}
/** `hidden`: the key may not read the list. */
type Search = Endpoint | 'hidden' | null

export async function checkEndpoint(
  call: StripeCall,
  { callbackUrl }: { callbackUrl: string },
): Promise<Finding[]> {
  const path = new URL(callbackUrl).pathname
  if (webhookSecretsOf(call.settings).length === 0)
    return [
      problem(
        `WEBHOOK_SECRET is not set, so payments are noticed later. Make a webhook endpoint at Stripe whose address is ${callbackUrl}, and copy its signing secret.`,
      ),
    ]
  const listed = await findEndpoint(call, path)
  if (listed && listed !== 'hidden') return endpointFinding(listed, callbackUrl)
  const found = await findDestination(call, path)
  if (found && found !== 'hidden') return endpointFinding(found, callbackUrl)
  if (listed === 'hidden' || found === 'hidden')
    return [
      unknown(
        'The key may not read all webhook endpoints, so nobody knows whether one leads here. Give it the permissions "Webhook Endpoints: read" and "Event destinations: read".',
      ),
    ]
  return [
    problem(`No webhook endpoint at Stripe leads to ${callbackUrl}. Make one, and copy its signing secret.`),
  ]
}

function endpointFinding(
  { url, status, enabled_events, isThin, version }: Endpoint,
  callbackUrl: string,
): Finding[] {
  const wanted = EVENTS.map((event) => (isThin ? `v1.${event}` : event))
  const absent = enabled_events.includes('*') ? [] : wanted.filter((each) => !enabled_events.includes(each))
  return [
    judgeAddress(url, callbackUrl),
    status === 'enabled'
      ? ok('The webhook endpoint is enabled.')
      : problem(
          'The webhook endpoint is disabled at Stripe. Enable it in the Dashboard: Developers, Webhooks.',
        ),
    absent.length === 0
      ? ok('The webhook endpoint sends every event that is needed.')
      : problem(`The webhook endpoint does not send ${absent.join(', ')}. Add these events.`),
    ok(`The webhook endpoint sends ${styleOf(isThin, version)}. The service can read them.`),
  ]
}

function styleOf(isThin: boolean, version: string | null): string {
  if (isThin) return 'thin events'
  return `snapshot events in ${version === null ? "the account's default API version" : `the API version ${version}`}`
}

async function findEndpoint(call: StripeCall, path: string): Promise<Search> {
  return unlessHidden(async () => {
    const answer = await askStripe(call, (stripe) => stripe.webhookEndpoints.list({ limit: 100 }))
    const found = read(call, Endpoints, answer).data.find(({ url }) => leadsTo(url, path))
    return found ? { ...found, isThin: false, version: found.api_version ?? null } : null
  })
}

async function findDestination(call: StripeCall, path: string): Promise<Search> {
  const page = { limit: 100, include: ['webhook_endpoint.url'] }
  return unlessHidden(async () => {
    const answer = await askStripe(call, (stripe) => stripe.v2.core.eventDestinations.list(page))
    for (const { webhook_endpoint: endpoint, ...found } of read(call, Destinations, answer).data) {
      const url = endpoint?.url
      if (url && leadsTo(url, path))
        return {
          ...found,
          url,
          isThin: found.event_payload === 'thin',
          version: found.snapshot_api_version ?? null,
        }
    }
    return null
  })
}

async function unlessHidden(find: () => Promise<Endpoint | null>): Promise<Search> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof AccountRefusedError && error.refusal === 'rights') return 'hidden'
    if (refusalOf(error) === null) throw error
    return 'hidden'
  }
}

/** The end of the address does not depend on where the service is reached. */
function leadsTo(url: string, path: string): boolean {
  return url.endsWith(path)
}
