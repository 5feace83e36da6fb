/** Orders that a provider has declined. */
import { statement } from '../db.ts'

/** `order`: names the attempt. */
export type DeclinedOrder = { paymentId: string; order: string; begunAt: Date }

export const listDeclinedOrders = statement<DeclinedOrder>(
  'list_declined_orders',
  `select a.payment_id as "paymentId", a.payment_id || ' ' || a.number as "order", a.created_at as "begunAt"
   from world.payments p join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id
   where p.id = any($1) and a.state = 'declined'`,
).all((paymentIds: readonly string[]) => [paymentIds])
