/**
 * Stripe's webhooks. Each is signed, but it is only a hint: the order is looked up. Stripe sends snapshot events, which contain the
 * object that has changed, or thin events, which only name it.
 * Rule: a genuine webhook that is not about an order of ours gets a 200, because Stripe switches off an endpoint that keeps
 * failing.
 */
import type Stripe from 'stripe'
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import type { InboundEvent, InboundVerdict, RawInbound, RawReply } from '../driver.ts'
import { askStripe, load, read, type StripeCall } from './client.ts'
import { nullIfMissing } from './find.ts'
import { webhookSecretsOf } from './settings.ts'
import { idOf, REFERENCE } from './shapes.ts'

const SIGNATURE_HEADER = 'stripe-signature'
/** The same as the library's default. Stripe signs each new delivery of an event anew. */
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

const Subject = z.object({
  id: z.string().optional(),
  object: z.string().optional(),
  payment_method: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  client_reference_id: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  payment_intent: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
})
/** What an event is about, as far as the driver reads it. */
type Subject = z.infer<typeof Subject>

const SnapshotEvent = z.object({ livemode: z.boolean(), data: z.object({ object: Subject }) })
const ThinEvent = z.object({
  object: z.literal('v2.core.event'),
  livemode: z.boolean().optional(),
  related_object: z.object({ id: z.string().optional(), type: z.string() }).nullish(),
})
const Event = z.union([ThinEvent, SnapshotEvent])
type Event = z.infer<typeof Event>
const Owner = z.object({ metadata: z.record(z.string(), z.string()).nullish(), livemode: z.boolean() })

const reject = (message: string): InboundEvent => ({ kind: 'rejected', message })

export async function receive(call: StripeCall, raw: RawInbound): Promise<InboundEvent> {
  const secrets = webhookSecretsOf(call.settings)
  if (secrets.length === 0) return reject('WEBHOOK_SECRET is not set, so nothing can be checked')
  if (raw.method !== 'POST') return reject('Stripe sends a POST')
  if (!(await isGenuine(raw, secrets)))
    return reject("the signature is not Stripe's for this account, or too old")
  const event = readEvent(raw)
  if (!event) return reject('the event cannot be read')
  if (event.livemode !== undefined) expectMode(call, event.livemode ? 'live' : 'test')
  const subject = 'data' in event ? event.data.object : await fetchSubject(call, event.related_object)
  const reference = (await referenceOf(call, subject)) ?? ''
  const method = methodIn(subject)
  return { kind: 'hint', reference, ...(method !== undefined && { savedMethod: { method } }) }
}

/** A saved card, or its mandate, does not name our reference. */
function methodIn(subject: Subject): string | undefined {
  if (subject.object === 'payment_method') return subject.id
  return subject.object === 'mandate' && subject.payment_method ? idOf(subject.payment_method) : undefined
}

/**
 * Returns whether the request is signed with one of the secrets, in the last minutes. The library compares with real time, also
 * in a sandbox whose clock was moved ahead.
 */
async function isGenuine({ headers, body }: RawInbound, secrets: string[]): Promise<boolean> {
  const signature = headers[SIGNATURE_HEADER]
  if (!signature) return false
  const { Stripe } = await load()
  return secrets.some((secret) => {
    try {
      return Stripe.webhooks.signature?.verifyHeader(body, signature, secret, AGE_MAX_SECONDS) === true
    } catch {
      // Another secret may fit.
      return false
    }
  })
}

function readEvent({ body }: RawInbound): Event | null {
  try {
    return Event.safeParse(JSON.parse(body.toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

type Fetch = (stripe: Stripe, id: string) => Promise<unknown>

/** How the driver asks for the object of a thin event. The driver does not need to ask for a saved card. */
const FETCH: Record<string, Fetch> = {
  'checkout.session': (stripe, id) => stripe.checkout.sessions.retrieve(id),
  charge: (stripe, id) => stripe.charges.retrieve(id),
  dispute: (stripe, id) => stripe.disputes.retrieve(id),
  mandate: (stripe, id) => stripe.mandates.retrieve(id),
  payment_intent: (stripe, id) => stripe.paymentIntents.retrieve(id),
  refund: (stripe, id) => stripe.refunds.retrieve(id),
}
const OBJECT_ID = /^\w+$/

/** Returns an empty subject for an object of another type, and for one that Stripe does not have. */
async function fetchSubject(
  call: StripeCall,
  related: z.infer<typeof ThinEvent>['related_object'],
): Promise<Subject> {
  const { id = '', type = '' } = related ?? {}
  const fetchObject = Object.hasOwn(FETCH, type) ? FETCH[type] : undefined
  if (!fetchObject || !OBJECT_ID.test(id)) return { id, object: type }
  const found = await nullIfMissing(() => askStripe(call, (stripe) => fetchObject(stripe, id)))
  return found === null ? {} : read(call, Subject, found)
}

/** A refund that somebody made in the Dashboard, or a dispute, names only the payment intent. */
async function referenceOf(call: StripeCall, subject: Subject): Promise<string | null> {
  const own = subject.client_reference_id ?? subject.metadata?.[REFERENCE]
  if (own) return own
  const { payment_intent: intent } = subject
  if (!intent) return null
  const id = idOf(intent)
  const owner = await nullIfMissing(() => askStripe(call, (stripe) => stripe.paymentIntents.retrieve(id)))
  return owner && (read(call, Owner, owner).metadata?.[REFERENCE] ?? null)
}

export function reply(event: InboundEvent, verdict: InboundVerdict): RawReply {
  if (event.kind === 'rejected') return { status: 400, body: 'rejected' }
  if (verdict === 'not_stored' || verdict === 'unsure') return { status: 503, body: 'send again' }
  return { status: 200, body: verdict === 'accepted' ? 'accepted' : 'not ours' }
}
