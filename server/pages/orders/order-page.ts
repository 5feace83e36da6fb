/** The pages that a link of the order book opens: an order, the list of a day, and the test. Nothing can be changed on them. */

import type { World } from '../../contract/health.ts'
import { translate } from '../../messages/translate.ts'
import type { ListedOrder, OrderCase, ShownOrder } from '../../operator/orders/orders.ts'
import type { Brand } from '../brand/brand.ts'
import { shopHead } from '../brand/marks.ts'
import { fact } from '../checkout/payment-frame.ts'
import { html, type Markup } from '../html.ts'
import { noticeHead } from '../message-page.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import type { Locale } from '../words/locale.ts'
import {
  buyerRows,
  caseText,
  historyRow,
  moneyText,
  numberOf,
  orderRows,
  type Reader,
  type Row,
  sumOf,
  wayText,
  whatOf,
} from './order-rows.ts'

export type OrderView = { locale: Locale; mode: World; brand: Brand; localeLinks: LocaleLinks }

const facts = (rows: Row[]): Markup =>
  html`<dl class="facts">${rows.map(([label, text]) => fact(label, text))}</dl>`

const readerOf = ({ locale, brand }: OrderView): Reader => ({ locale, timeZone: brand.timeZone })

/** It prints as a packing slip: what people did with the order is left out. */
export function orderPage(view: OrderView, order: ShownOrder): string {
  const { locale } = view
  const buyer = buyerRows(order, locale)
  const history = order.history.map((each) => historyRow(each, readerOf(view)))
  return frame(view, {
    title: `${translate(locale, 'orders.order')} ${numberOf(order)}`,
    content: html`
      <div class="slip-head">
        <h1>${whatOf(order, locale)}</h1>
        <p class="amount" data-testid="amount">${sumOf(order, locale)}</p>
      </div>
      ${facts(orderRows(order, readerOf(view)))}
      ${buyer.length > 0 ? html`<section data-testid="buyer"><h2>${translate(locale, 'orders.buyer')}</h2>${facts(buyer)}</section>` : null}
      <section class="not-printed"><h2>${translate(locale, 'orders.history')}</h2>${facts(history)}</section>
      <p class="note not-printed">${translate(locale, 'orders.slipHint')} ${translate(locale, 'orders.readOnly')}</p>`,
  })
}

type OrderList = { title: string; orders: ListedOrder[]; cases?: OrderCase[]; isCut?: boolean }

/** `isCut`: there are more than the page shows. */
export function listPage(view: OrderView, { title, orders, cases = [], isCut }: OrderList): string {
  const { locale } = view
  const count = orders.length + cases.length
  return frame(view, {
    title,
    content: html`
      <div class="slip-head"><h1>${title}</h1></div>
      ${count === 0 ? html`<p>${translate(locale, 'orders.listEmpty')}</p>` : null}
      ${cases.map((each) => caseSection(each, locale))}
      ${orders.map((order) => html`<section data-testid="order"><h2>${numberOf(order)}</h2>${facts(listed(order, locale))}</section>`)}
      ${isCut ? html`<p class="note">${translate(locale, 'orders.listMore', { count })}</p>` : null}
      <p class="note not-printed">${translate(locale, 'orders.slipHint')} ${translate(locale, 'orders.readOnly')}</p>`,
  })
}

function caseSection(each: OrderCase, locale: Locale): Markup {
  const { title, text } = caseText(each, locale)
  return html`<section data-testid="case"><h2>${title}</h2><p>${text}</p></section>`
}

const listed = (order: ListedOrder, locale: Locale): Row[] => [
  [translate(locale, 'orders.what'), whatOf(order, locale)],
  [translate(locale, 'orders.amount'), `${sumOf(order, locale)} (${moneyText(order, locale)})`],
  [translate(locale, 'orders.way'), wayText(order.way, locale)],
  ...buyerRows(order, locale),
]

/** `test`: the test payment as rows; null if there is none. */
export function testPage(view: OrderView, { test, path }: { test: Row[] | null; path: string }): string {
  const { locale, brand } = view
  return frame(view, {
    title: translate(locale, 'orders.testPageTitle'),
    content: html`
      <div class="slip-head"><h1>${translate(locale, 'orders.testPageTitle')}</h1></div>
      <p>${test ? translate(locale, 'orders.testPageText', { name: brand.name }) : translate(locale, 'orders.testNone')}</p>
      ${test ? facts(test) : null}
      ${test ? html`<form method="post" action=${path}><div class="ways"><button class="button" data-testid="seen" name="seen" value="yes">${translate(locale, 'orders.testButton')}</button></div></form>` : null}`,
  })
}

/** After the press. In the sandbox the test proves nothing for real money. */
export function testedPage(view: OrderView): string {
  const { locale, mode } = view
  const text = translate(locale, mode === 'live' ? 'orders.testDone' : 'orders.testSandbox')
  return frame(view, {
    title: translate(locale, 'orders.testPageTitle'),
    content: noticeHead('good', translate(locale, 'orders.testPageTitle'), text),
  })
}

function frame(view: OrderView, { title, content }: { title: string; content: Markup }): string {
  const { locale, mode, brand, localeLinks } = view
  const body = html`<div class="sheet">
    ${shopHead({ name: brand.name, ...(brand.logo && { logo: brand.logo }) })}
    <main class="slip" data-testid="order-book">${content}</main>
  </div>`
  return renderPage({ locale, mode, title: `${title} · ${brand.name}`, body, brand, localeLinks })
}
