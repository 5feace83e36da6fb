/** What we keep to find an order at PayPal again, and finding one whose id never reached us. */
import { z } from 'zod'
import type { ProviderOrder } from '../driver.ts'
import { memoryOf } from './memory.ts'
import { askPaypal, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { WebhookEvent, WebhookEvents } from './wire.ts'

/** `approved`: the order's update time when it was approved; a new approval is a new write. */
const OrderState = z.object({
  order: z.string(),
  intent: z.enum(['CAPTURE', 'AUTHORIZE']),
  /** An order for a saved wallet: no buyer is to be sent there. */
  charge: z.literal(true).optional(),
  approved: z.string().optional(),
  authorization: z.string().optional(),
  capture: z.string().optional(),
})
export type OrderState = z.infer<typeof OrderState>

export function stateOf(state: unknown): OrderState | null {
  return OrderState.safeParse(state).data ?? null
}

export const orderPath = (id: string) => `/v2/checkout/orders/${encodeURIComponent(id)}`

const DAY_MS = 24 * 3_600_000
const EVENTS_MAX = 100

/**
 * Returns an order's id by our reference. PayPal has no such question: the id is known from this process's memory, from a
 * callback, or from the list of events that PayPal has sent. Null: there is no order that could take money. Undefined: not known.
 */
export async function findOrderId(call: PaypalCall, reference: string): Promise<string | null | undefined> {
  const { orders } = await memoryOf(call)
  const known = orders.get(reference)
  if (known !== undefined || call.settings.WEBHOOK_ID === undefined) return known
  const query = new URLSearchParams({
    page_size: String(EVENTS_MAX),
    event_type: 'PAYMENT.CAPTURE.COMPLETED',
    start_time: new Date(call.now().getTime() - DAY_MS).toISOString(),
    end_time: call.now().toISOString(),
  })
  const said = await askPaypal(call, { method: 'GET', path: `/v1/notifications/webhooks-events?${query}` })
  if (said.kind === 'refused') throw new Error(whyRefused(said))
  for (const each of WebhookEvents.parse(said.body).events) {
    const { data: event } = WebhookEvent.safeParse(each)
    if (event?.resource.custom_id === reference)
      return event.resource.supplementary_data?.related_ids?.order_id
  }
  return undefined
}

/** The order as PayPal shows it; null if PayPal does not know it. @throws Error if it is not known which order it is */
export async function readOrder(call: PaypalCall, { state }: Pick<ProviderOrder, 'state'>): Promise<unknown> {
  const id = stateOf(state)?.order
  if (id === undefined) throw new Error("PayPal's id of the order is not known")
  return readPaypal(call, orderPath(id))
}
