import { z } from 'zod'
import { DateTime, MEANS } from './fields.ts'
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
  id: z.string().meta({
    description: 'The event’s identifier. Store it, and ignore an event whose id you have stored before.',
  }),
  type: z.literal('payment.status_changed').meta({ description: 'The only kind of event.' }),
  createdAt: DateTime.meta({ description: 'When the payment changed: ISO 8601, UTC.' }),
  livemode: z.boolean().meta(MEANS.livemode),
  sequence: z.int().min(1).meta({
    description:
      'The number of the event among those of its payment, from 1. A lower number is an older change.',
  }),
  payment: PaymentSession.meta({ description: 'The payment after the change.' }),
  data: z
    .strictObject({
      payment: EventPayment.meta(MEANS.payment),
      operationId: z.string().optional().meta({
        description:
          'The operation that caused the change: its result, or a refund that failed after all. Absent if something else caused it. An addition of Kassa.',
      }),
    })
    .meta({
      description: 'The most important fields of the payment again, for receivers that expect them here.',
    }),
})
export type PaymentStatusChanged = z.infer<typeof PaymentStatusChanged>
