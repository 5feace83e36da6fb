/** Forgets a buyer: the money of the orders stays, and what the buyer wrote goes. */
import type { Tx } from '../storage/db.ts'
import { forgetOrderRemarks } from '../storage/orders/orders.ts'
import { forgetOrderBuyers } from '../storage/orders/payments.ts'

/**
 * Blanks what the buyer of these payments wrote, and what the shop wrote about their orders. Repeating it changes nothing. Returns in
 * how many payments something was blanked.
 */
export async function forgetInOrders(tx: Tx, merchantId: string, paymentIds: string[]): Promise<number> {
  await forgetOrderRemarks(tx, merchantId, paymentIds)
  return forgetOrderBuyers(tx, merchantId, paymentIds)
}
