/** Orders of the order book as results and lists show them. */
import { type ListedOrder, type ShownOrder, spokenNumber } from '../orders/orders.ts'

export const soldText = ({ title, quantity, reference }: ListedOrder) =>
  `${title ?? reference}${quantity > 1 ? ` × ${quantity}` : ''}`

export const presentOrder = ({ merchantId: _, number, ...order }: ListedOrder | ShownOrder) => ({
  ...order,
  number: spokenNumber(number),
})
