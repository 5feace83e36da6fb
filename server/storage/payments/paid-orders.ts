/** Whether an order has been paid: every payment that holds its money, or may. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { OF_PAYMENT, type Payment } from './payment.ts'

const FIELDS = fieldsOf('payments', ['status', 'amountMinor', 'capturedMinor', 'currency', 'updatedAt'])
export type HoldingPayment = RecordOf<'payments', typeof FIELDS>

const COLUMNS = selected(FIELDS, 'p')

/** Returns the latest other payment of the same order that has money, or may have some. Returns null if there is none. */
// The statuses are those of the index payments_holding, in its words: without that it is not used. Payments that are under way are
// found by their attempts, which have an index of their own.
export const findHoldingPayment = statement<HoldingPayment>(
  'find_payment_holding_order',
  `select ${COLUMNS} from world.payments p
   where merchant_id = $1 and merchant_order_id = $2 and id <> $3
     and status in ('authorized', 'paid', 'partially_refunded', 'disputed', 'status_unknown')
   union all
   select ${COLUMNS} from world.attempts a join world.payments p on ${OF_PAYMENT}
   where a.merchant_id = $1 and a.under_way_since is not null and p.merchant_order_id = $2 and p.id <> $3
     and p.status in ('pending_redirect', 'pending_payment', 'failed', 'cancelled', 'expired')
   order by "updatedAt" desc limit 1`,
).first(({ merchantId, merchantOrderId, id }: Pick<Payment, 'merchantId' | 'merchantOrderId' | 'id'>) => [
  merchantId,
  merchantOrderId,
  id,
])
