/**
 * The events room: what an event says, how it is signed, when it is sent again. Pure: no clock, no storage.
 */
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'

/** The event's text, written once and sent byte for byte the same in every attempt. */
export function eventBody(event: {
  id: string
  createdAt: Date
  sequence: number
  payment: PaymentSession
}): string {
  const { ok: _, ...payment } = event.payment
  const { id, merchantOrderId, amountMinor, currency, status } = payment
  return JSON.stringify({
    id: event.id,
    type: 'payment.status_changed',
    createdAt: event.createdAt.toISOString(),
    livemode: payment.livemode,
    sequence: event.sequence,
    payment,
    data: { payment: { id, merchantOrderId, amountMinor, currency, status } },
  } satisfies PaymentStatusChanged)
}
