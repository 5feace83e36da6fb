/**
 * The receivers room: what an event contains, how it is signed, when it is sent again, and the health of the receiver.
 * This file writes the event's body.
 */
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'

/** Returns the event's text. It is written once, and every attempt sends exactly these bytes. */
export function eventBody(event: {
  id: string
  createdAt: Date
  sequence: number
  payment: PaymentSession
  operationId: string | null
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
    data: {
      payment: { id, merchantOrderId, amountMinor, currency, status },
      ...(event.operationId !== null && { operationId: event.operationId }),
    },
  } satisfies PaymentStatusChanged)
}
