/** The acts on the orders of an order book. The page of the order asks for them. */

import type { Context } from '../../context.ts'
import { textFact, tickFact } from '../../operator/approvals/facts.ts'
import { addOrderRemark, moveOrder } from '../../operator/orders/change.ts'
import { findOrder, spokenNumber, WAYS } from '../../operator/orders/orders.ts'
import { shopOfOrder } from '../../operator/orders/shop-of-order.ts'
import type { OrderRecord } from '../../storage/orders/orders.ts'
import { type AnyRow, act } from '../act.ts'
import { oneOfNeeded, optionalText, text, tick } from '../input.ts'

const ORDER = {
  merchantId: optionalText({ flag: 'merchant', placeholder: 'ID' }),
  order: text({ placeholder: 'N' }),
}

const orderOf = async (
  ctx: Context,
  { merchantId, order }: { merchantId?: string | undefined; order: string },
): Promise<OrderRecord> => findOrder(ctx, await shopOfOrder(ctx, merchantId, order), order)

const shown = {
  merchantId: ({ args }: { args: { merchantId?: string | undefined } }) => textFact('shop', args.merchantId),
  order: ({ args }: { args: { order: string } }) => textFact('order', args.order),
}

export const move = act('order move', {
  ...ORDER,
  to: oneOfNeeded(WAYS, { placeholder: 'W' }),
  anyway: tick({}),
})({
  place: null,
  current: async () => ({}),
  shows: {
    ...shown,
    to: async ({ ctx, args }) => textFact('state', args.to, (await orderOf(ctx, args)).way),
    anyway: ({ args }) => tickFact('anyway', args.anyway),
  },
  run: async (ctx, { to, anyway = false, ...named }, { name: by }) =>
    moveOrder(ctx, await orderOf(ctx, named), { to, by, anyway }),
  result: async (_ctx, { id: orderId, number, way }) => ({
    facts: { orderId, order: spokenNumber(number), way },
  }),
  helpExamples: ['--order "MAPZ 2VEK" --to packed', '--order order-7 --to cancelled'],
  examples: async ({ merchantId, order }) => [{ merchantId, order: await order(), to: 'packed' }],
})

export const note = act('order note', {
  ...ORDER,
  text: text({ placeholder: 'TEXT' }),
  answers: tick({ flag: 'decided' }),
})({
  place: null,
  current: async () => ({}),
  shows: {
    ...shown,
    text: ({ args }) => textFact('note', args.text),
    answers: ({ args }) => tickFact('decides', args.answers),
  },
  run: async (ctx, { text: remark, answers = false, ...named }, { name: by }) =>
    addOrderRemark(ctx, await orderOf(ctx, named), { text: remark, by, answers }),
  result: async (_ctx, { id: orderId, number, question }) => ({
    facts: { orderId, order: spokenNumber(number), question },
  }),
  helpExamples: [
    '--order "MAPZ 2VEK" --text "rings before noon"',
    '--order order-7 --text "second payment refunded" --decided',
  ],
  examples: async ({ merchantId, order }) => [{ merchantId, order: await order(), text: 'rings at noon' }],
})

export const ORDER_ACTS: readonly AnyRow[] = [move, note]
