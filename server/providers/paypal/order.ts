/** What is stored to find an order at PayPal again. PayPal cannot be asked by our reference. */
import { z } from 'zod'
import type { ProviderOrder } from '../driver.ts'
import { type PaypalCall, readPaypal } from './request.ts'

/**
 * `at`: our time. `times`: how often the order's payment was refused. `since`: what has happened since. `waits`: PayPal waited for
 * the buyer again. `approved`: the buyer has approved again, so the refusal counts no more.
 */
const Declined = z.object({
  issue: z.string(),
  at: z.string(),
  times: z.int(),
  since: z.enum(['waits', 'approved']).optional(),
})
export type Declined = z.infer<typeof Declined>

const OrderState = z.object({
  order: z.string(),
  intent: z.enum(['CAPTURE', 'AUTHORIZE']),
  /** An order for a saved wallet. No buyer is sent there. */
  charge: z.literal(true).optional(),
  declined: Declined.optional(),
  authorization: z.string().optional(),
  capture: z.string().optional(),
})
export type OrderState = z.infer<typeof OrderState>

/**
 * PayPal shows the `custom_id` of every object, also in its callbacks. An order has our reference there. A refund of ours has our
 * reference and our operation. A refund that somebody makes at PayPal has the order's `custom_id`, or none.
 */
export const refundName = ({ reference, key }: { reference: string; key: string }) => `${reference}.${key}`

/** Returns what a `custom_id` says. `key`: our operation, if it is a refund of ours. */
export function readName(customId: string): { reference: string; key?: string } {
  const [reference = '', key] = customId.split('.')
  return { reference, ...(key !== undefined && { key }) }
}

export function stateOf(state: unknown): OrderState | null {
  return OrderState.safeParse(state).data ?? null
}

/** The state of a charge that PayPal refused: there is no order. */
export const NO_ORDER = { order: null }

export function hasNoOrder(state: unknown): boolean {
  return z.object({ order: z.null() }).safeParse(state).success
}

export const orderPath = (id: string) => `/v2/checkout/orders/${encodeURIComponent(id)}`

/** Returns the order as PayPal has it, or null if PayPal does not know it. @throws Error if the order's id is not known */
export async function readOrder(call: PaypalCall, { state }: Pick<ProviderOrder, 'state'>): Promise<unknown> {
  const id = stateOf(state)?.order
  if (id === undefined) throw new Error("PayPal's id of the order is not known")
  return readPaypal(call, orderPath(id))
}
