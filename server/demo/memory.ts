/** What the demo shop remembers of its orders, in this process and for the newest ones only: the rest it looks up. */
import type { KnownEvent, Memory, Refund } from './order.ts'

const ORDERS_MAX = 1_000
const EVENTS_MAX = 20

export type OrderBook = {
  of(paymentId: string): Memory
  /** The same event again changes nothing; one that comes late goes to its place. */
  addEvent(known: KnownEvent): void
  /** Asked for again, or looked at again: the newer state of the same operation stays. */
  addRefund(paymentId: string, refund: Refund): void
}

export function openOrderBook(): OrderBook {
  const orders = new Map<string, Memory>()
  const of = (paymentId: string) => orders.get(paymentId) ?? { events: [], refunds: [] }
  const keep = (paymentId: string, memory: Memory) => {
    orders.delete(paymentId)
    orders.set(paymentId, memory)
    const [oldest] = orders.keys()
    if (orders.size > ORDERS_MAX && oldest !== undefined) orders.delete(oldest)
  }
  return {
    of,
    addEvent(known) {
      const { id } = known.event.payment
      const { events, refunds } = of(id)
      if (events.some(({ event }) => event.id === known.event.id)) return
      const sorted = [...events, known].sort((one, other) => one.event.sequence - other.event.sequence)
      keep(id, { events: sorted.slice(-EVENTS_MAX), refunds })
    },
    addRefund(paymentId, refund) {
      const { events, refunds } = of(paymentId)
      const others = refunds.filter(({ operationId }) => operationId !== refund.operationId)
      keep(paymentId, { events, refunds: [...others, refund] })
    },
  }
}
