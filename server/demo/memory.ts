/** The demo shop's memory of its newest orders, in this process only. The shop looks up everything else at Kassa. */
import type { KnownEvent, Memory, Refund } from './order.ts'

const ORDERS_MAX = 1_000
const EVENTS_MAX = 20

export type DemoOrders = {
  of(paymentId: string): Memory
  /** Ignores a repeated event. Sorts a late event into its place by its sequence. */
  addEvent(known: KnownEvent): void
  /** Replaces the refund with the same operation id. */
  addRefund(paymentId: string, refund: Refund): void
}

export function openDemoOrders(): DemoOrders {
  const orders = new Map<string, Memory>()
  const of = (paymentId: string) => orders.get(paymentId) ?? { events: [], refunds: [] }
  const store = (paymentId: string, memory: Memory) => {
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
      store(id, { events: sorted.slice(-EVENTS_MAX), refunds })
    },
    addRefund(paymentId, refund) {
      const { events, refunds } = of(paymentId)
      const others = refunds.filter(({ operationId }) => operationId !== refund.operationId)
      store(paymentId, { events, refunds: [...others, refund] })
    },
  }
}
