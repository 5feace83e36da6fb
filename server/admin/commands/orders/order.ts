/** `order`: the order book of a shop whose events go there. */

import { findOrder, listToPack, showOrder } from '../../../operator/orders/orders.ts'
import { shopOfOrder } from '../../../operator/orders/shop-of-order.ts'
import { presentOrder } from '../../../operator/views/order.ts'
import { type Noun, verb } from '../../command.ts'
import { count, day, optional, required } from '../../flag.ts'
import { orderText, slipText } from './order-text.ts'

const SHOP = optional(
  'ID',
  "the merchant's id; not needed for an order's number, or if only one merchant has an order book",
)
const ORDER = required('N', "the order's number, as the buyer reads it aloud, or the shop's own order id")

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an order: its money, the buyer, and what happened',
  flags: { merchant: SHOP, order: ORDER },
  examples: ['--order "MAPZ 2VEK"'],
  async run(ctx, { merchant, order: text }) {
    const found = await findOrder(ctx, await shopOfOrder(ctx, merchant, text), text)
    const order = await showOrder(ctx, found)
    const { id: orderId } = order
    return {
      json: { merchantId: order.merchantId, orderId, order: presentOrder(order) },
      text: orderText(order),
    }
  },
})

const SLIPS_MAX = 1_000
const CUT_HERE = '\n\n  - - - - - - - - - - - - - - - -\n\n'

const slip = verb({
  name: 'slip',
  needs: 'viewer',
  summary: 'Print the packing slip of an order, or of each order to pack',
  flags: {
    merchant: SHOP,
    order: optional('N', 'the number of the order; without it, every new order that is paid'),
    day: day('DAY', "without an order: only of this day, in the shop's time zone"),
    after: optional('ID', 'without an order: only older ones than this order, for the rest of a long list'),
    limit: count('N', 'how many slips', { max: SLIPS_MAX, fallback: SLIPS_MAX }),
  },
  examples: ['--order "MAPZ 2VEK"', '--day 2026-08-02'],
  async run(ctx, { merchant, order: text, day: of, after, limit }) {
    const merchantId = await shopOfOrder(ctx, merchant, text)
    const found =
      text === undefined
        ? await listToPack(ctx, { merchantId, day: of, after, limit: limit + 1 })
        : [await findOrder(ctx, merchantId, text)]
    const shown = found.slice(0, limit)
    const next = found.length > limit ? shown.at(-1)?.id : undefined
    const orders = await Promise.all(shown.map((each) => showOrder(ctx, each)))
    const more = next && `There are more orders to pack than these ${limit}. Their slips: --after ${next}`
    return {
      json: { merchantId, orders: orders.map(presentOrder), next: next ?? null },
      text: [...orders.map(slipText), ...(more ? [more] : [])].join(CUT_HERE) || 'There is nothing to pack.',
    }
  },
})

export const order: Noun = {
  name: 'order',
  summary: 'List, pack and move the orders of an order book',
  verbs: [show, slip],
}
