/** Writes the mails to the owner of a shop: news of orders, and the test whether somebody reads them. */

import type { Context } from '../context.ts'
import { translate } from '../messages/translate.ts'
import { listOrdersById, type OrderCase, type ShownOrder, showOrder } from '../operator/orders/orders.ts'
import { type Brand, findBrand } from '../pages/brand/brand.ts'
import {
  buyerRows,
  caseText,
  numberOf,
  orderRows,
  questionText,
  type Row,
  sumOf,
  whatOf,
} from '../pages/orders/order-rows.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { OwnerMail } from '../storage/mails/mails.ts'
import type { OrderBook } from '../storage/orders/books.ts'
import type { OrderChange } from '../storage/orders/orders.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

type OrderNews = { order: ShownOrder; change: OrderChange }
type Given = { orderBook: OrderBook; to: string; link: string; isSecret: boolean; cases: OrderCase[] }
type Content = Pick<Letter, 'title' | 'text' | 'facts' | 'way'>

/**
 * `link`: the address that the mail leads to. `isSecret`: the link alone opens the page. Without it the page asks its reader to sign in.
 * `cases`: the cases that the mail names.
 */
export async function writeOwnerMail(
  ctx: Context,
  mail: OwnerMail,
  { orderBook, to, link, isSecret, cases }: Given,
): Promise<Message> {
  const { locale } = orderBook
  const brand = await findBrand(ctx, mail.merchantId, locale)
  const content =
    mail.kind === 'order_test'
      ? testContent(locale, link)
      : await newsContent(ctx, mail, { locale, brand, link, isSecret, cases })
  const letter = letterOf(ctx, content, { locale, brand, isSecret })
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: brand.name || 'Kassa', address: from },
    to,
    subject: `${ctx.world === 'sandbox' ? `[${translate(locale, 'pages.ribbon')}] ` : ''}${letter.title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}

function letterOf(
  ctx: Context,
  content: Content,
  { locale, brand, isSecret }: { locale: Locale; brand: Brand; isSecret: boolean },
): Letter {
  return {
    ...content,
    locale,
    test:
      ctx.world === 'sandbox'
        ? `${translate(locale, 'pages.ribbon')}. ${translate(locale, 'pages.ribbonText')}`
        : null,
    contact: [],
    contactTitle: '',
    why: translate(locale, isSecret ? 'orders.mailWhy' : 'orders.mailWhySignIn', { name: brand.name }),
    brand: {
      ...brand,
      ...(brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }),
    },
  }
}

function testContent(locale: Locale, address: string): Content {
  return {
    title: translate(locale, 'orders.testTitle'),
    text: translate(locale, 'orders.testText'),
    facts: [],
    way: { label: translate(locale, 'orders.openTest'), address },
  }
}

async function newsContent(
  ctx: Context,
  { merchantId, notice }: OwnerMail,
  {
    locale,
    brand,
    link,
    isSecret,
    cases,
  }: Omit<Given, 'orderBook' | 'to'> & { locale: Locale; brand: Brand },
): Promise<Content> {
  const { changes = [], count = changes.length } = notice
  const orders = await listOrdersById(ctx, merchantId, [...new Set(changes.map(({ orderId }) => orderId))])
  const shown = new Map(
    await Promise.all(orders.map(async (each) => [each.id, await showOrder(ctx, each)] as const)),
  )
  const pieces = changes.flatMap(({ orderId, number }): OrderNews[] => {
    const order = shown.get(orderId)
    const change = order?.history.find((each) => each.number === number)
    return order && change ? [{ order, change }] : []
  })
  const [only] = pieces
  const [onlyCase] = cases
  if (onlyCase && count === 1) return caseContent(onlyCase, { locale, link })
  if (only && count === 1) return oneContent(only, { locale, brand, link })
  const rest = count - pieces.length - cases.length
  // Who cannot sign in packs from the mail.
  const buyerOf = ({ order }: OrderNews): Row[] => (isSecret ? buyerRows(order, locale) : [])
  const rows = pieces.flatMap((piece): Row[] => [
    [numberOf(piece.order), titleOf(piece, locale)],
    ...buyerOf(piece),
  ])
  if (rest > 0)
    rows.push([translate(locale, 'orders.more'), translate(locale, 'orders.moreText', { count: rest })])
  return {
    title: translate(locale, 'orders.manyTitle', { count }),
    text: translate(locale, 'orders.manyText'),
    facts: [
      ...cases.map((each): Row[] => {
        const { title, text } = caseText(each, locale)
        return [[title, text]]
      }),
      rows,
    ],
    way: { label: translate(locale, 'orders.showList'), address: link },
  }
}

function caseContent(each: OrderCase, { locale, link }: { locale: Locale; link: string }): Content {
  const label = translate(locale, each.orderId === null ? 'orders.showList' : 'orders.showOrder')
  return { ...caseText(each, locale), facts: [], way: { label, address: link } }
}

function oneContent(
  piece: OrderNews,
  { locale, brand, link }: { locale: Locale; brand: Brand; link: string },
): Content {
  const { order, change } = piece
  const number = numberOf(order)
  const text = translate(locale, keysOf(piece).text, { number })
  return {
    title: titleOf(piece, locale),
    text: change.why ? questionText(change.why, locale) : text,
    facts: [orderRows(order, { locale, timeZone: brand.timeZone }), buyerRows(order, locale)],
    way: { label: translate(locale, 'orders.showOrder'), address: link },
  }
}

function titleOf(piece: OrderNews, locale: Locale): string {
  const { order, change } = piece
  const amount = sumOf(order, locale, change.amountMinor ?? order.money.amountMinor)
  return translate(locale, keysOf(piece).title, { what: whatOf(order, locale), amount })
}

function keysOf({ change: { news, status } }: OrderNews) {
  if (news === 'dispute') return { title: 'orders.disputeTitle', text: 'orders.disputeText' } as const
  if (news === 'case') return { title: 'orders.caseTitle', text: 'orders.saleText' } as const
  if (news === 'refund')
    return status === 'paid'
      ? ({ title: 'orders.refundFailedTitle', text: 'orders.refundFailedText' } as const)
      : ({ title: 'orders.refundTitle', text: 'orders.refundText' } as const)
  return status === 'authorized'
    ? ({ title: 'orders.heldTitle', text: 'orders.heldText' } as const)
    : ({ title: 'orders.saleTitle', text: 'orders.saleText' } as const)
}
