/** The order book: what is to be done first, and each order packed with one tap. */
import { may } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { keepsOrders } from '../../operator/orders/book.ts'
import {
  dayIn,
  isPackable,
  type ListedOrder,
  listHeld,
  listOrdersOf,
  listToPack,
  type OrderListRequest,
  WAYS,
  type Way,
} from '../../operator/orders/orders.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  buyerRows,
  moneyText,
  numberOf,
  questionText,
  sumOf,
  wayText,
  whatOf,
} from '../../pages/orders/order-rows.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import { findEarlierUntil } from '../../storage/events/receivers.ts'
import { hiddenFields } from '../form-parts.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { whoMay, wideScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'

const PAGE = 25
const TO_DO_MAX = 200
const EARLIER_NOTED_MS = 14 * 86_400_000

/** What is to be done, the most urgent first. Each list ends at its own limit, so one does not push another out. */
const GROUPS = [
  {
    name: 'decide',
    title: 'ordersDecide',
    list: (ctx: Context, wish: OrderListRequest) => listOrdersOf(ctx, { ...wish, needsPerson: true }),
  },
  { name: 'pack', title: 'ordersToPack', list: listToPack },
  { name: 'waiting', title: 'ordersWaiting', list: listHeld },
] as const

export const orders: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/orders',
  needs: 'order list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await shopOf(visit)
    const way = WAYS.find((each) => each === query.way)
    const title = translate(locale, 'ordersTitle')
    const [isBook, today, earlierUntil] = await Promise.all([
      keepsOrders(view.ctx, view.merchantId),
      dayIn(view.ctx, view.merchantId, view.ctx.clock.now()),
      findEarlierUntil(view.ctx.db, view.merchantId),
    ])
    const body = html`${isBook ? null : html`<p class="alert">${translate(locale, 'ordersNoBook')} <a href=${`${view.path}/live`}>${translate(locale, 'liveTitle')}</a></p>`}
      ${way === undefined || way === 'done' ? earlierNote(visit, view, { earlierUntil, way }) : null}
      ${tabs(visit, view, way)}
      ${way ? await listed(visit, view, { way, earlierUntil }) : await toDo(visit, view)}
      ${may(visit.user, 'order move') ? null : whoMay(locale, 'order move')}
      <ul class="ways-on">
        <li><a class="way-on" href=${`${view.path}/orders-print?day=${today}`}>${translate(locale, 'ordersPrintDay')}</a></li>
        <li><a class="way-on" href=${`${view.path}/orders-print`}>${translate(locale, 'ordersSlips')}</a></li>
      </ul>`
    return wideScreen({ title, body, notice: movedText(visit), back: [view.path, view.merchant.name] })
  },
}

type Earlier = { earlierUntil: Date | null; way: Way | undefined }

/** Says where the sales of before are, for as long as one of them may still have to be packed. */
function earlierNote({ locale }: OwnVisit, view: ShopView, { earlierUntil, way }: Earlier): Markup {
  const now = view.ctx.clock.now().getTime()
  if (earlierUntil === null || now > earlierUntil.getTime() + EARLIER_NOTED_MS) return null
  const at = formatMoment(earlierUntil.toISOString(), locale, { timeZone: view.timeZone }) ?? ''
  return html`<p class="advice">${translate(locale, 'ordersEarlier', { at })} ${way === 'done' ? null : html`<a href=${`${view.path}/orders?way=done`}>${translate(locale, 'ordersEarlierPick')}</a>`}</p>`
}

/** Says which order was moved where, because it has left the list. */
function movedText({ locale, query }: OwnVisit): string | null {
  const way = WAYS.find((each) => each === query.moved)
  const number = /^[\w ]{1,20}$/.exec(query.number ?? '')?.[0]
  return way && number ? translate(locale, 'orderMoved', { number, way: wayText(way, locale) }) : null
}

function tabs({ locale }: OwnVisit, { path }: ShopView, chosen: Way | undefined): Markup {
  const links: [string, string, boolean][] = [
    [`${path}/orders`, translate(locale, 'ordersOpen'), chosen === undefined],
    ...WAYS.map((way): [string, string, boolean] => [
      `${path}/orders?way=${way}`,
      translate(locale, `way_${way}`),
      way === chosen,
    ]),
  ]
  return html`<nav aria-label=${translate(locale, 'ordersWays')}>
    <ul class="tags">
      ${links.map(([href, text, isChosen]) => html`<li><a class="tag" href=${href} aria-current=${isChosen ? 'page' : undefined}>${text}</a></li>`)}
    </ul>
  </nav>`
}

async function toDo(visit: OwnVisit, view: ShopView): Promise<Markup> {
  const { locale, query } = visit
  const { ctx, merchantId } = view
  // A link to the rest of a group names it.
  const only = GROUPS.find(({ name }) => name === query.group)
  const wish = { merchantId, after: only && query.after, limit: TO_DO_MAX + 1 }
  const groups = await Promise.all(
    (only ? [only] : GROUPS).map(async (group) => ({ ...group, found: await group.list(ctx, wish) })),
  )
  if (groups.every(({ found }) => found.length === 0))
    return html`<p class="lead">${translate(locale, only ? 'ordersNone' : 'ordersNoneOpen')}</p>`
  return html`<p class="lead">${translate(locale, 'ordersLead_open')}</p>
    ${groups.map((group) => (group.found.length === 0 ? null : groupPart(visit, view, group)))}`
}

function groupPart(
  visit: OwnVisit,
  view: ShopView,
  { name, title, found }: (typeof GROUPS)[number] & { found: ListedOrder[] },
): Markup {
  const shown = found.slice(0, TO_DO_MAX)
  const isCut = found.length > TO_DO_MAX
  const rest = new URLSearchParams({ group: name, after: shown.at(-1)?.id ?? '' })
  return html`<h2>${translate(visit.locale, title)} (${shown.length}${isCut ? '+' : ''})</h2>
    ${cards(visit, view, shown)}
    ${isCut ? cutNote(visit, { count: shown.length, rest: `${view.path}/orders?${rest}` }) : null}`
}

/** Says that there are more orders than the page shows, and leads to them. */
export function cutNote({ locale }: OwnVisit, { count, rest }: { count: number; rest: string }): Markup {
  return html`<p class="alert not-printed">${translate(locale, 'ordersCut', { count })} <a href=${rest}>${translate(locale, 'olderOnes')}</a></p>`
}

async function listed(
  visit: OwnVisit,
  view: ShopView,
  { way, earlierUntil }: { way: Way; earlierUntil: Date | null },
): Promise<Markup> {
  const { locale, query } = visit
  const { ctx, merchantId } = view
  const found = await listOrdersOf(ctx, { merchantId, way, after: query.after, limit: PAGE })
  const last = found.length === PAGE ? found.at(-1) : undefined
  return html`${found.length === 0 ? html`<p class="lead">${translate(locale, 'ordersNone')}</p>` : cards(visit, view, found, earlierUntil)}
    ${last ? html`<p><a class="button quiet" href=${`${view.path}/orders?${new URLSearchParams({ way, after: last.id })}`}>${translate(locale, 'olderOnes')}</a></p>` : null}`
}

function cards(
  visit: OwnVisit,
  view: ShopView,
  found: ListedOrder[],
  earlierUntil: Date | null = null,
): Markup {
  return html`<ul class="cards">${found.map((order) => card(visit, view, order, earlierUntil))}</ul>`
}

function card(visit: OwnVisit, view: ShopView, order: ListedOrder, earlierUntil: Date | null): Markup {
  const { locale } = visit
  const { id, question, createdAt } = order
  const [buyer] = buyerRows(order, locale)
  const when = formatMoment(createdAt.toISOString(), locale, { timeZone: view.timeZone, isZoneKnown: true })
  return html`<li class="card order" data-state=${question ? 'refused' : isPackable(order) ? 'waiting' : order.way}>
    <a class="order-way" href=${`${view.path}/orders/${id}`}><strong><bdi>${whatOf(order, locale)}</bdi></strong> ${sumOf(order, locale)}</a>
    <p class="hint">${numberOf(order)}${buyer ? html` · <bdi>${buyer[1]}</bdi>` : null}${order.state === 'paid' ? null : ` · ${moneyText(order, locale)}`} · ${when}</p>
    ${question ? html`<p>${questionText(question, locale)}</p>` : null}
    ${oneTap(visit, view, order, { from: 'list', isEarlier: earlierUntil !== null && createdAt < earlierUntil })}
  </li>`
}

const NEXT: Partial<Record<Way, Way>> = { new: 'packed', packed: 'sent', sent: 'done' }

/**
 * The next step of an order whose money is there. `from`: where its person goes on. `isEarlier`: it came in as done, and may still have
 * to be packed.
 */
export function oneTap(
  { locale, user }: OwnVisit,
  { path }: ShopView,
  order: ListedOrder,
  { from, isEarlier = false }: { from: 'list' | 'order'; isEarlier?: boolean },
): Markup {
  const isPicked = isEarlier && order.way === 'done'
  const next = isPicked ? 'new' : NEXT[order.way]
  if (!next || !may(user, 'order move') || order.question || !['paid', 'part_returned'].includes(order.state))
    return null
  return html`<form method="post" action=${`${path}/orders/${order.id}/move`}>
    ${hiddenFields({ to: next, seen: String(order.changes), from })}
    <button class=${`button${from === 'list' ? ' quiet' : ''}`}>${translate(locale, isPicked ? 'ordersStillPack' : `orderMove_${next}`)}</button>
  </form>`
}
