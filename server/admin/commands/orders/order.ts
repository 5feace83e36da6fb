/** `order`: the order book of a shop whose events go there. */

import { MONEY_TEXTS } from '../../../acts/lists/orders.ts'
import type { CurrencyCode } from '../../../contract/fields.ts'
import {
  findOrder,
  type ListedOrder,
  listToPack,
  type OrderChange,
  type ShownOrder,
  showOrder,
  spokenNumber,
} from '../../../operator/orders/orders.ts'
import { shopOfOrder } from '../../../operator/orders/shop-of-order.ts'
import { presentOrder, soldText } from '../../../operator/views/order.ts'
import { buyerFields } from '../../../orders/buyer.ts'
import { type Noun, verb } from '../../command.ts'
import { count, day, optional, required } from '../../flag.ts'
import { amount, moment, pairs, paragraphs } from '../../layout.ts'

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

const QUESTION_TEXT: Record<NonNullable<ListedOrder['question']>, string> = {
  part_returned: 'A part was refunded before the order was decided.',
  taken_back: 'It is paid, but it was refunded, reversed or disputed before the order was decided.',
  other_amount: 'The amount is not what the product costs now.',
  not_offered: 'The product is not sold any more.',
  part_captured: 'Only a part of the money was taken.',
  paid_twice: 'It was paid a second time. Refund one of the payments.',
}

const sumOf = ({ money }: ListedOrder) => amount(money.amountMinor, money.currency as CurrencyCode)
const isOwnReference = (reference: string) => !/^(wgt|lnk)_/.test(reference)

function orderText(order: ShownOrder): string {
  const { number, reference, state, way, question, money, payments, history } = order
  const returned = money.refundedMinor > 0 && amount(money.refundedMinor, money.currency as CurrencyCode)
  return paragraphs(
    pairs([
      ['Order', spokenNumber(number)],
      ['Order id', isOwnReference(reference) ? reference : null],
      ['What', soldText(order)],
      ['Amount', sumOf(order)],
      ['Money', MONEY_TEXTS[state]],
      ['Returned', returned || null],
      ['Way', way],
      ['To decide', question && QUESTION_TEXT[question]],
      ['Payments', payments.map(({ paymentId, status }) => `${paymentId}  ${status}`)],
      ...buyerRows(order),
    ]),
    history.map(historyLine).join('\n'),
  )
}

const buyerRows = (order: ListedOrder): [string, string][] =>
  buyerFields(order.money).map(([key, text]) => [key.charAt(0).toUpperCase() + key.slice(1), text])

const DECIDED = { deliver: 'to deliver', ask: 'a person must decide', note: 'noted' } as const

function historyLine(change: OrderChange): string {
  const { at, kind, status, why, by, toWay, remark } = change
  const head = `  ${moment(at)}  `
  if (by === null) {
    const decided = DECIDED[kind as keyof typeof DECIDED] ?? kind
    return `${head}${status}: ${decided}${why ? `. ${QUESTION_TEXT[why]}` : ''}`
  }
  const did = toWay ? `moved to ${toWay}` : kind === 'answered' ? 'decided' : 'wrote'
  return `${head}${by} ${did}${remark ? `: ${remark}` : ''}`
}

function slipText(order: ShownOrder): string {
  return paragraphs(
    pairs([
      ['Order', spokenNumber(order.number)],
      ['What', soldText(order)],
      ['Amount', sumOf(order)],
      ...buyerRows(order),
    ]),
  )
}
