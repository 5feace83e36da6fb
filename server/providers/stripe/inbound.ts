/**
 * Stripe's webhooks. Each is signed, but it is only a hint: the order is looked up.
 * Rule: a genuine webhook that is not about an order of ours gets a 200, because Stripe switches off an endpoint that keeps
 * failing.
 */
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import type { InboundEvent, InboundVerdict, RawInbound, RawReply } from '../driver.ts'
import { ask, load, read, type StripeCall } from './client.ts'
import { orNull } from './find.ts'
import { webhookSecretsOf } from './settings.ts'
import { idOf, REFERENCE } from './shapes.ts'

const SIGNATURE_HEADER = 'stripe-signature'
/** The same as the library's default. */
const AGE_MAX_SECONDS = 300

/** The events that the endpoint at Stripe has to send. */
export const EVENTS = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.refunded',
  'checkout.session.async_payment_failed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'mandate.updated',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
  'payment_method.automatically_updated',
  'payment_method.detached',
  'payment_method.updated',
  'refund.created',
  'refund.failed',
  'refund.updated',
] as const

const Event = z.object({
  id: z.string(),
  type: z.string(),
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      id: z.string().optional(),
      object: z.string().optional(),
      payment_method: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
      client_reference_id: z.string().nullish(),
      metadata: z.record(z.string(), z.string()).nullish(),
      payment_intent: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
    }),
  }),
})
type Event = z.infer<typeof Event>
const Owner = z.object({ metadata: z.record(z.string(), z.string()).nullish(), livemode: z.boolean() })

const reject = (message: string): InboundEvent => ({ kind: 'rejected', message })

export async function receive(call: StripeCall, raw: RawInbound): Promise<InboundEvent> {
  const secrets = webhookSecretsOf(call.settings)
  if (secrets.length === 0) return reject('WEBHOOK_SECRET is not set, so nothing can be checked')
  if (raw.method !== 'POST') return reject('Stripe sends a POST')
  const event = await verify(call, raw, secrets)
  if (!event) return reject("the signature is not Stripe's for this account, or too old")
  expectMode(call, event.livemode ? 'live' : 'test')
  const reference = (await referenceOf(call, event)) ?? ''
  const method = methodIn(event)
  return { kind: 'hint', reference, ...(method !== undefined && { savedMethod: { method } }) }
}

/** A saved card, or its mandate, does not name our reference. */
function methodIn({ data: { object } }: Event): string | undefined {
  if (object.object === 'payment_method') return object.id
  return object.object === 'mandate' && object.payment_method ? idOf(object.payment_method) : undefined
}

/** Returns null if the request is not signed with one of the secrets. */
async function verify(
  call: StripeCall,
  { headers, body }: RawInbound,
  secrets: string[],
): Promise<Event | null> {
  const signature = headers[SIGNATURE_HEADER]
  if (!signature) return null
  const { Stripe } = await load()
  // A sandbox's clock may be ahead of Stripe's. In the sandbox an old event does no more harm than a new one, because it is
  // only a hint.
  const ageMax = call.account.live ? AGE_MAX_SECONDS : Number.MAX_SAFE_INTEGER
  const nowMs = call.now().getTime()
  for (const secret of secrets)
    try {
      Stripe.webhooks.signature?.verifyHeader(body, signature, secret, ageMax, undefined, nowMs)
      const event = Event.safeParse(JSON.parse(body.toString('utf8')))
      return event.success ? event.data : null
    } catch {
      // Another secret may fit.
    }
  return null
}

/** A refund that somebody made in the Dashboard, or a dispute, names only the payment intent. */
async function referenceOf(call: StripeCall, { data: { object } }: Event): Promise<string | null> {
  const own = object.client_reference_id ?? object.metadata?.[REFERENCE]
  if (own) return own
  const { payment_intent: intent } = object
  if (!intent) return null
  const id = idOf(intent)
  const owner = await orNull(() => ask(call, (stripe) => stripe.paymentIntents.retrieve(id)))
  return owner && (read(call, Owner, owner).metadata?.[REFERENCE] ?? null)
}

export function reply(event: InboundEvent, verdict: InboundVerdict): RawReply {
  if (event.kind === 'rejected') return { status: 400, body: 'rejected' }
  if (verdict === 'not_stored') return { status: 503, body: 'send again' }
  return { status: 200, body: verdict === 'accepted' ? 'accepted' : 'not ours' }
}
