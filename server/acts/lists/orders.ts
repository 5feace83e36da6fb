/** The list of the orders of an order book. */
import { type ListedOrder, listOrdersOf, spokenNumber, WAYS } from '../../operator/orders/orders.ts'
import { shopOfOrder } from '../../operator/orders/shop-of-order.ts'
import { presentOrder, soldText } from '../../operator/views/order.ts'
import { day, oneOfOrNone, optionalText, tick } from '../input.ts'
import { list, ofOne, ofShop, sumOf } from '../list.ts'

export const MONEY_TEXTS: Record<ListedOrder['state'], string> = {
  paid: 'paid',
  held: 'held, not taken yet',
  part_returned: 'partly returned',
  returned: 'returned',
  disputed: 'disputed',
  unknown: 'not known yet',
  none: 'none',
}

export const orders = list('order list', {
  merchantId: ofShop(),
  day: day({ placeholder: 'DAY' }),
  way: oneOfOrNone(WAYS, { placeholder: 'W' }),
  needsPerson: tick({ flag: 'decide' }),
  after: optionalText({ placeholder: 'ID' }),
})({
  needs: 'order list',
  items: 'orders',
  counts: ['order', 'orders'],
  cut: 'newest',
  lines: { fallback: 100, max: 1_000 },
  complete: async (ctx, filter) => ({ ...filter, merchantId: await shopOfOrder(ctx, filter.merchantId) }),
  load: async (ctx, { merchantId = '', needsPerson = false, ...cut }) => ({
    found: await listOrdersOf(ctx, { merchantId, needsPerson, ...cut }),
  }),
  columns: {
    id: ({ number }) => spokenNumber(number),
    way: ({ way }) => way,
    money: ({ state }) => MONEY_TEXTS[state],
    amount: ({ money }) => sumOf(money),
    what: soldText,
    needs: ({ question }) => question && 'DECIDE',
    since: ({ createdAt }) => createdAt,
  },
  present: presentOrder,
  also: ofOne,
  helpExamples: ['', '--day 2026-08-02 --way new', '--decide'],
})
