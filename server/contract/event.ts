import { z } from 'zod'
import { DateTime } from './fields.ts'
import { PaymentSession } from './payment.ts'

/** The reduced payment that `data.payment` carries, for receivers that look there. */
export const EventPayment = PaymentSession.pick({
  id: true,
  merchantOrderId: true,
  amountMinor: true,
  currency: true,
  status: true,
})

/** What the merchant's callback URL receives. `sequence` rises by one with every change of the payment. */
export const PaymentStatusChanged = z.strictObject({
  id: z.string(),
  type: z.literal('payment.status_changed'),
  createdAt: DateTime,
  livemode: z.boolean(),
  sequence: z.int().min(1),
  payment: PaymentSession,
  data: z.strictObject({ payment: EventPayment }),
})
export type PaymentStatusChanged = z.infer<typeof PaymentStatusChanged>
