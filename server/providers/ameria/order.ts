/** What the driver keeps of an order. */
import { z } from 'zod'

/**
 * `id`: the bank's, in small letters. `opaque`: what we have sent to be returned. `steps`: how the account worked then; absent if nobody
 * knows. `until`: when the page ends. `isCharge`: of a saved card, so no buyer has its page. `isTried`: the bank has shown the order, which it
 * does only after somebody has tried to pay. `hasAmounts`, `capturedMinor`: as last seen before anything was refunded. `holder`: our name
 * of the saved card. `isBound`: the bank has kept the card.
 */
const OrderState = z.object({
  id: z.string(),
  opaque: z.string().optional(),
  steps: z.enum(['one', 'two']).optional(),
  until: z.iso.datetime().optional(),
  isCharge: z.literal(true).optional(),
  isTried: z.literal(true).optional(),
  hasAmounts: z.boolean().optional(),
  capturedMinor: z.int().optional(),
  holder: z.string().optional(),
  isBound: z.literal(true).optional(),
})
export type OrderState = z.infer<typeof OrderState>

/** Returns null for an order whose opening brought no answer, until the bank was asked. */
export const stateOf = (state: unknown): OrderState | null => OrderState.safeParse(state).data ?? null
