/** Whether an order has been paid: every payment that holds its money, or may. */

import { type Queryable, statement } from '../db.ts'
import type { PaymentRecord } from './payments.ts'

export type HoldingPayment = Pick<
  PaymentRecord,
  'status' | 'amountMinor' | 'capturedMinor' | 'currency' | 'updatedAt'
>

// The statuses are those of the index payments_holding, in its words: without that it is not used.
const holding = statement<HoldingPayment>(
  'find_payment_holding_order',
  `select status, amount_minor as "amountMinor", captured_minor as "capturedMinor", currency, updated_at as "updatedAt" from world.payments
   where merchant_id = $1 and merchant_order_id = $2 and id <> $3
     and status in ('authorized', 'paid', 'partially_refunded', 'disputed', 'status_unknown')
   order by updated_at desc limit 1`,
)

/** The latest other payment of the same merchant and order that holds money, or may hold some; null when there is none. */
export async function findHoldingPayment(
  db: Queryable,
  { merchantId, merchantOrderId, id }: Pick<PaymentRecord, 'merchantId' | 'merchantOrderId' | 'id'>,
): Promise<HoldingPayment | null> {
  return (await holding(db, [merchantId, merchantOrderId, id]))[0] ?? null
}
