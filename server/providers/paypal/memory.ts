/**
 * What this process remembers of an account's orders between calls. No money depends on it. Without it a question gets its
 * result later, by a callback or from a person.
 */
import type { Declined } from './order.ts'
import type { PaypalCall } from './request.ts'

const ENTRIES_MAX = 5_000

type Memory = {
  /** The last refusal of an order's payment, until it is stored with the order. */
  declines: Map<string, Declined>
  /** When the buyer approved an order for the last time, as PayPal has told by itself. */
  approvals: Map<string, Date>
  /** How often a request about a saved account was refused. */
  refusals: Map<string, number>
}

export function memoryOf({ account }: PaypalCall): Promise<Memory> {
  return account.cache.get('memory', async () => ({
    value: { declines: new Map(), approvals: new Map(), refusals: new Map() },
    lifetimeMs: Number.POSITIVE_INFINITY,
  }))
}

/** Deletes the oldest entry if there are too many. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > ENTRIES_MAX && oldest !== undefined) map.delete(oldest)
}
