/**
 * PayPal's webhooks. Each is only a hint: we ask PayPal about the order, so a late, repeated or replayed webhook changes
 * nothing.
 * Rule: PayPal itself tells whether a webhook is genuine and meant for this account. Its signature covers the exact bytes, so
 * they are sent back to PayPal unchanged.
 */
import { z } from 'zod'
import type { Inbound } from '../driver/inbound.ts'
import { expectMode } from '../driver/mode.ts'
import type { InboundEvent, RawInbound } from '../driver.ts'
import { memoryOf, remember } from './memory.ts'
import { type OrderState, readName } from './order.ts'
import { askPaypal, CredentialsRefused, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { isOfPaypal, modeStatedBy } from './settings.ts'
import { Capture, Verification, WebhookEvent } from './wire.ts'

/** The headers of a transmission, within the lengths that PayPal's own document allows. */
const Transmission = z.object({
  'paypal-transmission-id': z
    .string()
    .regex(/^(?!\d+$)\w+\S+$/)
    .max(50),
  'paypal-transmission-time': z.iso.datetime({ offset: true }).max(100),
  'paypal-transmission-sig': z
    .string()
    .regex(/^(?!\d+$)\w+\S+$/)
    .max(500),
  'paypal-cert-url': z.url().max(500),
  'paypal-auth-algo': z
    .string()
    .regex(/^[a-zA-Z0-9]+$/)
    .max(100),
})
type Transmission = z.infer<typeof Transmission>

const NOT_OURS = ''
const APPROVED = 'CHECKOUT.ORDER.APPROVED'

export const inbound: Inbound<PaypalCall> = {
  async receive(call, raw): Promise<InboundEvent> {
    const rejected = await findForgery(call, raw)
    if (rejected !== null) return { kind: 'rejected', message: rejected }
    const event = readEvent(raw)
    if (event === null) return { kind: 'rejected', message: 'the event cannot be read' }
    const reference = (await referenceOf(call, event)) ?? NOT_OURS
    const order = orderIn(event)
    if (order !== undefined && event.event_type === APPROVED)
      await rememberApproval(call, order, event.create_time ?? raw.headers['paypal-transmission-time'])
    // The intent is read with the order.
    const state: OrderState | undefined = order === undefined ? undefined : { order, intent: 'CAPTURE' }
    const savedMethod = methodIn(event)
    return { kind: 'hint', reference, state, ...(savedMethod && { savedMethod }) }
  },

  reply(event, verdict) {
    if (event.kind === 'rejected') return { status: 403, body: 'rejected' }
    if (verdict === 'not_stored' || verdict === 'unsure') return { status: 503, body: verdict }
    // PayPal retries every event that gets no success, including events that are not about our orders.
    return { status: 200, body: verdict }
  },
}

/** Returns why the request is not from PayPal or not for this account. Returns null if it is genuine. */
async function findForgery(call: PaypalCall, { method, headers, body }: RawInbound): Promise<string | null> {
  const { WEBHOOK_ID: webhookId } = call.settings
  if (webhookId === undefined) return 'no webhook id is set, so no callback can be verified'
  const { data: sent } = Transmission.safeParse(headers)
  if (method !== 'POST' || !sent) return 'it has no signature of PayPal'
  const stated = modeStatedBy(sent['paypal-cert-url'])
  if (stated) expectMode(call, stated)
  if (!isOfPaypal(call.settings, sent['paypal-cert-url'])) return "its certificate is not PayPal's"
  if (readEvent({ body }) === null) return 'it is not an event of PayPal'
  try {
    return (await isGenuine(call, webhookId, sent, body)) ? null : 'PayPal says that it did not send this'
  } catch (error) {
    // PayPal retries what was rejected, so nothing is lost once the credentials are right.
    if (error instanceof CredentialsRefused) return error.message
    throw error
  }
}

/** @throws Error if PayPal does not tell */
async function isGenuine(
  call: PaypalCall,
  webhookId: string,
  sent: Transmission,
  body: Buffer,
): Promise<boolean> {
  const fields = {
    auth_algo: sent['paypal-auth-algo'],
    cert_url: sent['paypal-cert-url'],
    transmission_id: sent['paypal-transmission-id'],
    transmission_sig: sent['paypal-transmission-sig'],
    transmission_time: sent['paypal-transmission-time'],
    webhook_id: webhookId,
  }
  const answer = await askPaypal(call, {
    method: 'POST',
    path: '/v1/notifications/verify-webhook-signature',
    body: `${JSON.stringify(fields).slice(0, -1)},"webhook_event":${body.toString('utf8')}}`,
    isRead: true,
    // What a stranger sends must not show anything about the account.
    isExtra: true,
  })
  if (answer.kind === 'refused') {
    if (answer.status === 400 || answer.status === 404) return false
    throw new Error(whyRefused(answer))
  }
  return Verification.parse(answer.body).verification_status === 'SUCCESS'
}

function readEvent({ body }: Pick<RawInbound, 'body'>): WebhookEvent | null {
  try {
    return WebhookEvent.safeParse(JSON.parse(body.toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

/** PayPal's id of the order. The response that contained it may never have reached us. */
function orderIn({ resource }: WebhookEvent): string | undefined {
  if (resource.purchase_units) return resource.id
  return resource.supplementary_data?.related_ids?.order_id ?? linkedIdIn(resource.links, 'checkout/orders')
}

/** The order itself does not show when its buyer approved. `at`: when PayPal made or sent the event. */
async function rememberApproval(call: PaypalCall, order: string, at: string | undefined): Promise<void> {
  const { approvals } = await memoryOf(call)
  const reportedAt = new Date(at ?? Number.NaN)
  const approvedAt = Number.isNaN(reportedAt.getTime()) ? call.now() : reportedAt
  const before = approvals.get(order)
  // An old event can be sent again.
  if (before === undefined || approvedAt > before) remember(approvals, order, approvedAt)
}

/** A saved account does not name our reference. A token that was just made is found by its buyer. */
function methodIn({ event_type: type, resource }: WebhookEvent): Record<string, string> | undefined {
  if (!type.startsWith('VAULT.PAYMENT-TOKEN.')) return undefined
  const { id: token, customer } = resource
  if (type === 'VAULT.PAYMENT-TOKEN.CREATED') return customer && { customer: customer.id }
  return token === undefined ? undefined : { token }
}

/** Our reference of the order that the event is about. */
async function referenceOf(call: PaypalCall, { resource }: WebhookEvent): Promise<string | undefined> {
  const { custom_id, purchase_units: units, disputed_transactions: disputed } = resource
  const reference = custom_id ?? units?.[0]?.custom_id ?? disputed?.[0]?.custom
  if (reference !== undefined) return readName(reference).reference
  // A refund that somebody made at PayPal, and some disputes, name only the payment.
  const capture = disputed?.[0]?.seller_transaction_id ?? linkedIdIn(resource.links, 'payments/captures')
  if (capture === undefined) return undefined
  const path = `/v2/payments/captures/${encodeURIComponent(capture)}`
  // An event may name a payment of another account.
  const found = await readPaypal(call, path, { isExtra: true })
  return found === null ? undefined : Capture.parse(found).custom_id
}

/** The id of what a payment belongs to, by its link. */
function linkedIdIn(
  links: readonly { rel: string; href: string }[],
  kind: 'checkout/orders' | 'payments/captures',
): string | undefined {
  const up = links.find(({ rel }) => rel === 'up')?.href ?? ''
  return new RegExp(`/v2/${kind}/([A-Za-z0-9]+)$`).exec(up)?.[1]
}
