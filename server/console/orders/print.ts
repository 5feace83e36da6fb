/** What is printed: packing slips and lists. */
import type { ListedOrder, OrderCase } from '../../operator/orders/orders.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  buyerRows,
  caseText,
  numberOf,
  type Row,
  sumOf,
  wayText,
  whatOf,
} from '../../pages/orders/order-rows.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { OwnVisit } from '../page.ts'
import { translate } from '../words/translate.ts'
import type { ShopView } from '../world.ts'

export const factsOf = (rows: Row[]): Markup =>
  html`<dl class="facts">${rows.map(([name, text]) => html`<div><dt>${name}</dt><dd><bdi>${text}</bdi></dd></div>`)}</dl>`

type Print = {
  title: string
  slips: ListedOrder[]
  cases?: OrderCase[]
  /** Whether there are more orders than the page shows. */
  isCut?: boolean
  /** The link to the other orders. */
  more?: Markup | null
  back: Markup
  isList: boolean
}

/** Only the slips are printed. Each begins a sheet of its own, and a list goes on below. */
export function printPage(
  { locale }: OwnVisit,
  { title, slips, cases = [], isCut, more = null, back, isList }: Print,
  view: ShopView,
): Markup {
  return html`<div class="print" data-list=${isList ? 'yes' : 'no'}>
    <h1 class=${isList ? undefined : 'not-printed'}>${title}</h1>
    <p class="hint not-printed" data-without-script>${translate(locale, 'printHint')}</p>
    <p class="not-printed"><button type="button" class="button" data-print hidden>${translate(locale, 'printDo')}</button></p>
    ${more}
    ${slips.length + cases.length === 0 ? html`<p>${translate(locale, 'ordersNone')}</p>` : null}
    ${cases.map((each) => caseSection(each, locale))}
    ${slips.map(
      (order) => html`<section class="parcel">
        <h2 class="parcel-number">${numberOf(order)}</h2>
        <p class="what"><bdi>${whatOf(order, locale)}</bdi> · ${sumOf(order, locale)}</p>
        ${factsOf(buyerRows(order, locale))}
        ${isList ? html`<p>${wayText(order.way, locale)}</p>` : html`<p class="from"><bdi>${view.merchant.name}</bdi></p>`}
      </section>`,
    )}
    ${isCut && isList ? html`<p>${translate(locale, 'orders.listMore', { count: slips.length })}</p>` : null}
    <div class="not-printed">${back}</div>
  </div>`
}

function caseSection(each: OrderCase, locale: Locale): Markup {
  const { title, text } = caseText(each, locale)
  return html`<section class="not-printed"><h2>${title}</h2><p>${text}</p></section>`
}
