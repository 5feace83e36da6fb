/**
 * What this process remembers of an account's orders between calls. Nothing depends on it for money: without it a question is
 * answered later, by a callback, or by a person.
 */
import type { PaypalCall } from './request.ts'

const ENTRIES_MAX = 5_000

type Memory = {
  /** References of charges that certainly took no money, because their capture was never sent. */
  unsent: Map<string, true>
  /** The last refusal of an order's payment, and the order's update time after it. */
  declines: Map<string, Declined>
}
/** `at`: another update time means that the buyer has chosen again since. */
export type Declined = { issue: string; at: string }

export function memoryOf({ account }: PaypalCall): Promise<Memory> {
  return account.cache.get('memory', async () => ({
    value: { unsent: new Map(), declines: new Map() },
    lifetimeMs: Number.POSITIVE_INFINITY,
  }))
}

/** Forgets the oldest entry where there are too many. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > ENTRIES_MAX && oldest !== undefined) map.delete(oldest)
}
