/** An order in answers and in lists. */
import type { MoneyState } from '../../orders/decide.ts'
import { type ListedOrder, type ShownOrder, spokenNumber } from '../orders/orders.ts'

export const MONEY_TEXTS: Record<MoneyState, string> = {
  paid: 'paid',
  held: 'held, not taken yet',
  part_returned: 'partly returned',
  returned: 'returned',
  disputed: 'disputed',
  unknown: 'not known yet',
  none: 'none',
}

export const soldText = ({ title, quantity, reference }: ListedOrder) =>
  `${title ?? reference}${quantity > 1 ? ` × ${quantity}` : ''}`

export const presentOrder = ({ merchantId: _, number, ...order }: ListedOrder | ShownOrder) => ({
  ...order,
  number: spokenNumber(number),
})
