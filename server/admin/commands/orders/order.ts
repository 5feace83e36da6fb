/** `order`: the order book of a shop whose events go there. */

import type { Context } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { findByNumber } from '../../../operator/finding/by-number.ts'
import { listOrderBooks } from '../../../operator/orders/book.ts'
import { addOrderRemark, moveOrder } from '../../../operator/orders/change.ts'
import {
  findOrder,
  type ListedOrder,
  linkTo,
  listOrdersOf,
  listToPack,
  type ShownOrder,
  showOrder,
  WAYS,
} from '../../../operator/orders/orders.ts'
import { getPayment } from '../../../operator/payment-timeline.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { count, day, optional, optionalChoice, required, requiredChoice, toggle } from '../../flag.ts'
import { counted, paragraphs, table } from '../../layout.ts'
import { mails } from './order-mails.ts'
import { ORDER_HEADINGS, orderRow, orderText, slipText, spoken } from './order-text.ts'

const SHOP = optional(
  'ID',
  "the merchant's id; not needed for an order's number, or if only one merchant has an order book",
)
const ORDER = required('N', "the order's number, as the buyer reads it aloud, or the shop's own order id")
const LIMIT = count('N', 'how many orders', { max: 1_000, fallback: 100 })

/**
 * Returns the merchant that was named, the only one with an order book, or the one whose payment has this number.
 * @throws AppError validation_failed
 */
async function shopOf(ctx: Context, merchantId: string | undefined, number?: string): Promise<string> {
  if (merchantId !== undefined) return merchantId
  const [only, ...others] = await listOrderBooks(ctx)
  if (only !== undefined && others.length === 0) return only
  const paymentId = number === undefined ? null : await findByNumber(ctx, number).catch(() => null)
  if (paymentId !== null) return (await getPayment(ctx, paymentId)).merchantId
  throw new AppError('validation_failed', {
    message: only
      ? 'Several merchants have an order book. Name one with --merchant.'
      : `No merchant has an order book. Choose one: ${ADMIN} callback set --merchant ID --order-book`,
  })
}

const view = ({ merchantId: _, number, ...order }: ListedOrder | ShownOrder) => ({
  ...order,
  number: spoken(number),
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the orders of a shop: of a day, by their way, or to decide',
  flags: {
    merchant: SHOP,
    day: day('DAY', "only of this day, in the shop's time zone"),
    way: optionalChoice('W', 'only orders that are so far', WAYS),
    decide: toggle('only orders about which a person must decide'),
    after: optional('ID', 'only older ones than this order: the orderId of the last one of the page before'),
    limit: LIMIT,
  },
  examples: ['', '--day 2026-08-02 --way new', '--decide'],
  async run(ctx, { merchant, day: of, way, decide: needsPerson, after, limit }) {
    const merchantId = await shopOf(ctx, merchant)
    const orders = await listOrdersOf(ctx, { merchantId, day: of, way, needsPerson, after, limit })
    const text =
      orders.length > 0
        ? paragraphs(table(ORDER_HEADINGS, orders.map(orderRow)), `${counted(orders.length, 'order')}.`)
        : 'There is no such order.'
    return { json: { merchantId, orders: orders.map(view) }, text }
  },
})

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an order: its money, the buyer, and what happened',
  flags: { merchant: SHOP, order: ORDER },
  examples: ['--order "MAPZ 2VEK"'],
  async run(ctx, { merchant, order: text }) {
    const found = await findOrder(ctx, await shopOf(ctx, merchant, text), text)
    const order = await showOrder(ctx, found)
    const { id: orderId } = order
    return { json: { merchantId: order.merchantId, orderId, order: view(order) }, text: orderText(order) }
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
    const merchantId = await shopOf(ctx, merchant, text)
    const found =
      text === undefined
        ? await listToPack(ctx, { merchantId, day: of, after, limit: limit + 1 })
        : [await findOrder(ctx, merchantId, text)]
    const shown = found.slice(0, limit)
    const next = found.length > limit ? shown.at(-1)?.id : undefined
    const orders = await Promise.all(shown.map((each) => showOrder(ctx, each)))
    const more = next && `There are more orders to pack than these ${limit}. Their slips: --after ${next}`
    return {
      json: { merchantId, orders: orders.map(view), next: next ?? null },
      text: [...orders.map(slipText), ...(more ? [more] : [])].join(CUT_HERE) || 'There is nothing to pack.',
    }
  },
})

const print = verb({
  name: 'print',
  needs: 'operator',
  summary: 'Make a link to a page to print: the orders of a day, or one order',
  flags: {
    merchant: SHOP,
    order: optional('N', 'the number of the order; without it, the orders of a day'),
    day: day('DAY', "the day in the shop's time zone; today, if it is not given"),
  },
  examples: ['--day 2026-08-02', '--order "MAPZ 2VEK"'],
  async run(ctx, { merchant, order: text, day: of }) {
    const merchantId = await shopOf(ctx, merchant)
    const link = await linkTo(ctx, merchantId, { text, day: of })
    return {
      json: { merchantId, link },
      text: `Open this address. It works for 30 days, for everybody who has it:\n  ${link}`,
    }
  },
})

const move = verb({
  name: 'move',
  needs: 'operator',
  summary: 'Note that an order is packed, sent, done or cancelled',
  flags: {
    merchant: SHOP,
    order: ORDER,
    to: requiredChoice('W', 'how far it is now', WAYS),
    anyway: toggle('although its money is not there, or a person must decide: you have decided'),
  },
  examples: ['--order "MAPZ 2VEK" --to packed', '--order order-7 --to cancelled'],
  async run(ctx, { merchant, order: text, to, anyway }, { operator: by }) {
    const order = await findOrder(ctx, await shopOf(ctx, merchant, text), text)
    const { id: orderId, number, way } = await moveOrder(ctx, order, { to, by, anyway })
    const json = { orderId, order: spoken(number), way }
    return { json, text: `The order ${spoken(number)} is ${way}.` }
  },
})

const note = verb({
  name: 'note',
  needs: 'operator',
  summary: 'Write a note about an order, or what you have decided',
  flags: {
    merchant: SHOP,
    order: ORDER,
    text: required('TEXT', 'the note; the buyer never sees it'),
    decided: toggle('the note is what you have decided about the order'),
  },
  examples: [
    '--order "MAPZ 2VEK" --text "rings before noon"',
    '--order order-7 --text "second payment refunded" --decided',
  ],
  async run(ctx, { merchant, order: name, text, decided: answers }, { operator: by }) {
    const order = await findOrder(ctx, await shopOf(ctx, merchant, name), name)
    const { id: orderId, number, question } = await addOrderRemark(ctx, order, { text, by, answers })
    const json = { orderId, order: spoken(number), question }
    return { json, text: `The note is stored with the order ${spoken(number)}.` }
  },
})

export const order: Noun = {
  name: 'order',
  summary: 'List, pack and move the orders of an order book',
  verbs: [list, show, slip, print, move, note, mails],
}
