/** The acts on the orders of an order book. The page of the order asks for them. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { shopFact, textFact, textOrNone, tickFact } from '../../operator/approvals/facts.ts'
import { changeOrderBook, getOrderBook, newsWithNotice } from '../../operator/orders/book.ts'
import { addOrderRemark, moveOrder } from '../../operator/orders/change.ts'
import { findOrder, linkTo, spokenNumber, WAYS } from '../../operator/orders/orders.ts'
import { shopOfOrder } from '../../operator/orders/shop-of-order.ts'
import { NEWS, NOTICE_TIMES, type OrderRecord } from '../../storage/orders/orders.ts'
import { type AnyRow, act } from '../act.ts'
import {
  bound,
  day,
  oneOfNeeded,
  oneOfOrNone,
  optionalText,
  seen,
  severalOf,
  shop,
  text,
  tick,
  words,
} from '../input.ts'

const ORDER = {
  merchantId: optionalText({ flag: 'merchant', placeholder: 'ID' }),
  order: text({ placeholder: 'N' }),
  // How many changes the order had when the person decided.
  seen: bound(z.number().optional()),
}

const orderOf = async (
  ctx: Context,
  { merchantId, order }: { merchantId?: string | undefined; order: string },
): Promise<OrderRecord> => findOrder(ctx, await shopOfOrder(ctx, merchantId, order), order)

const shown = {
  merchantId: ({ args }: { args: { merchantId?: string | undefined } }) => textFact('shop', args.merchantId),
  order: ({ args }: { args: { order: string } }) => textFact('order', args.order),
  seen: 'bound',
} as const

export const move = act('order move', {
  ...ORDER,
  to: oneOfNeeded(WAYS, { placeholder: 'W' }),
  anyway: tick({}),
})({
  shows: {
    ...shown,
    to: async ({ ctx, args }) => textFact('state', args.to, (await orderOf(ctx, args)).way),
    anyway: ({ args }) => tickFact('anyway', args.anyway),
  },
  run: async (ctx, { to, anyway = false, seen, ...named }, { name: by }) =>
    moveOrder(ctx, await orderOf(ctx, named), { to, by, anyway, seen }),
  result: async (_ctx, { id: orderId, number, way }) => ({
    facts: { orderId, order: spokenNumber(number), way },
  }),
  helpExamples: ['--order "MAPZ 2VEK" --to packed', '--order order-7 --to cancelled'],
  examples: async ({ merchantId, order }) => [{ merchantId, order: await order(), to: 'packed' }],
})

export const note = act('order note', {
  ...ORDER,
  text: words({}),
  answers: tick({ flag: 'decided' }),
})({
  shows: {
    ...shown,
    text: ({ args }) => textFact('note', args.text),
    answers: ({ args }) => tickFact('decides', args.answers),
  },
  run: async (ctx, { text: remark, answers = false, seen, ...named }, { name: by }) =>
    addOrderRemark(ctx, await orderOf(ctx, named), { text: remark, by, answers, seen }),
  result: async (_ctx, { id: orderId, number, question }) => ({
    facts: { orderId, order: spokenNumber(number), question },
  }),
  helpExamples: [
    '--order "MAPZ 2VEK" --text "rings before noon"',
    '--order order-7 --text "second payment refunded" --decided',
  ],
  examples: async ({ merchantId, order }) => [{ merchantId, order: await order(), text: 'rings at noon' }],
})

/** Whoever is told of orders. Without a wish it only shows how that is. */
export const mails = act('order mails', {
  merchantId: shop(),
  email: optionalText({ placeholder: 'E' }),
  locale: oneOfOrNone(Object.keys(LANGUAGES) as Language[], { flag: 'language', placeholder: 'L' }),
  told: oneOfOrNone(NOTICE_TIMES, { flag: 'when', placeholder: 'T' }),
  silent: severalOf(NEWS, { flag: 'not', placeholder: 'KIND', isOptional: true }),
  everything: tick({}),
  off: tick({}),
  seen: seen(),
})({
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    email: async ({ ctx, args: { merchantId, email, off } }) =>
      off || email !== undefined
        ? [
            {
              name: 'email',
              after: textOrNone(off ? null : email),
              before: textOrNone((await getOrderBook(ctx, merchantId)).email),
            },
          ]
        : [],
    locale: ({ args }) => textFact('language', args.locale),
    told: async ({ ctx, args }) =>
      textFact('told', args.told, (await getOrderBook(ctx, args.merchantId)).told),
    async silent({ ctx, args: { merchantId, silent, everything } }) {
      if (silent === undefined && !everything) return []
      const before = (await getOrderBook(ctx, merchantId)).silent
      const after = everything ? [] : (silent ?? [])
      return [{ name: 'silent', after: textOrNone(after.join(', ')), before: textOrNone(before.join(', ')) }]
    },
    // Shown as that nothing is silent.
    everything: 'bound',
    // Shown as the address.
    off: 'bound',
    seen: 'bound',
  },
  run(ctx, { merchantId, everything = false, off = false, seen: known, ...given }) {
    const wish = { ...given, ...(everything && { silent: [] }), ...(off && { email: null }) }
    const asks = Object.values(wish).some((value) => value !== undefined)
    return asks ? changeOrderBook(ctx, merchantId, wish, { seen: known }) : getOrderBook(ctx, merchantId)
  },
  async result({ config }, orderBook) {
    const { email } = orderBook
    const about = newsWithNotice(orderBook)
    const mailServer = Boolean(config.smtpServer)
    return { facts: { ...orderBook, about, mailServer }, textValues: { email: email ?? 'nobody' } }
  },
  helpExamples: [
    '--merchant mer_01... --email potter@shop.example --language hy',
    '--merchant mer_01... --when daily --not dispute',
    '--merchant mer_01...',
  ],
  examples: async ({ merchantId, email }) => [
    { merchantId, email: email(), locale: 'hy' },
    { merchantId, told: 'daily', silent: ['dispute'] },
    { merchantId, everything: true, off: true },
  ],
})

/** A link to a page to print: the orders of a day, or one order. */
export const print = act('order print', {
  merchantId: ORDER.merchantId,
  order: optionalText({ placeholder: 'N' }),
  day: day({ placeholder: 'DAY' }),
})({
  shows: {
    merchantId: shown.merchantId,
    order: ({ args }) => textFact('order', args.order),
    day: ({ args }) => textFact('day', args.day),
  },
  async run(ctx, { merchantId: named, order, day: of }) {
    const merchantId = await shopOfOrder(ctx, named)
    return { merchantId, link: await linkTo(ctx, merchantId, { text: order, day: of }) }
  },
  result: async (_ctx, { merchantId, link }) => ({ facts: { merchantId }, shownOnce: { link } }),
  helpExamples: ['--day 2026-08-02', '--order "MAPZ 2VEK"'],
  examples: async ({ merchantId, order }) => [
    { merchantId, day: '2026-08-02' },
    { merchantId, order: await order() },
  ],
})

export const ORDER_ACTS: readonly AnyRow[] = [move, note, mails, print]
