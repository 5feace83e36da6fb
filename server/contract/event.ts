import { z } from 'zod'
import { DateTime } from './fields.ts'
import { PaymentSession } from './payment.ts'

/** The short form of the payment in `data.payment`, for receivers that read it there. */
const EventPayment = PaymentSession.pick({
  id: true,
  merchantOrderId: true,
  amountMinor: true,
  currency: true,
  status: true,
})

/** The event that is sent to the merchant's callback URL. `sequence` rises by one with every change of the payment. */
export const PaymentStatusChanged = z.strictObject({
  id: z.string(),
  type: z.literal('payment.status_changed'),
  createdAt: DateTime,
  livemode: z.boolean(),
  sequence: z.int().min(1),
  payment: PaymentSession,
  /** `operationId`: the operation that caused the change. */
  data: z.strictObject({ payment: EventPayment, operationId: z.string().optional() }),
})
export type PaymentStatusChanged = z.infer<typeof PaymentStatusChanged>
