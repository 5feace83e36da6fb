/** What the driver keeps of an order. */
import { z } from 'zod'

/**
 * `id`: the bank's. `number`: ours there, where it is not the reference. `steps`: how it was registered; absent if nobody knows. `until`: when
 * its session ends. `isCharge`: of a saved card, so no buyer has its page. `hasAmounts`: whether an answer about its money had amounts, which
 * versions 01 and 02 do not have. `capturedMinor`: what was taken, as last seen before anything was refunded.
 */
const OrderState = z.object({
  id: z.string(),
  number: z.string().optional(),
  steps: z.enum(['one', 'two']).optional(),
  until: z.iso.datetime().optional(),
  isCharge: z.literal(true).optional(),
  hasAmounts: z.boolean().optional(),
  capturedMinor: z.int().optional(),
})
export type OrderState = z.infer<typeof OrderState>

/** Returns null for an order whose registration brought no answer, until the bank was asked. */
export const stateOf = (state: unknown): OrderState | null => OrderState.safeParse(state).data ?? null
