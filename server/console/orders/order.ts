/** One order: what the buyer wrote, its money, its way, its question and its notes. */
import { may } from '../../acts/policy.ts'
import { move as moveRow, note as noteRow } from '../../acts/rows/orders.ts'
import { AppError } from '../../errors.ts'
import { findOrderById, listToPack, type ShownOrder, showOrder, WAYS } from '../../operator/orders/orders.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  historyRow,
  moneyText,
  numberOf,
  orderRows,
  questionText,
  type Row,
  sumOf,
  wayText,
  whatOf,
} from '../../pages/orders/order-rows.ts'
import { buyerFacts } from '../buyer-facts.ts'
import { doOrShowRefusal, formPage } from '../form-page.ts'
import { alertOf, hiddenFields, noticeOf, selectField, textArea, tick } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, whoMay } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf } from '../world.ts'
import { oneTap } from './list.ts'
import { factsOf, printPage } from './print.ts'

type Shown = { view: ShopView; order: ShownOrder; problem?: string }

/** Returns the order. An order of another shop is not found either. @throws AppError not_found */
async function findOwn(visit: OwnVisit): Promise<Shown> {
  const view = await shopOf(visit)
  const order = await findOrderById(view.ctx, view.merchantId, visit.params.order ?? '')
  if (!order) throw new AppError('not_found')
  return { view, order: await showOrder(view.ctx, order) }
}

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/orders/:order',
  needs: 'order list',
  handle: async (visit) => orderScreen(visit, await findOwn(visit)),
}

async function orderScreen(visit: OwnVisit, { view, order, problem }: Shown): Promise<Screen> {
  const { locale, query } = visit
  const reader = { locale, timeZone: view.timeZone }
  const buyer = buyerFacts(order.money, locale)
  const moved = WAYS.find((each) => each === query.moved)
  const notice = moved
    ? translate(locale, 'orderMoved', { number: numberOf(order), way: wayText(moved, locale) })
    : query.done === 'noted'
      ? translate(locale, 'orderNoted')
      : null
  const title = `${translate(locale, 'order')} ${numberOf(order)}`
  const stands = [numberOf(order), sumOf(order, locale), moneyText(order, locale), wayText(order.way, locale)]
  const body = html`<h1><bdi>${whatOf(order, locale)}</bdi></h1>
    ${problem === undefined ? noticeOf(notice) : alertOf(problem)}
    <div class="beside">
      <div class="parts">
        <p class="sentence">${stands.join(' · ')}</p>
        ${questionPart(visit, view, order)}
        ${oneTap(visit, view, order, { from: 'order' })}
        ${await nextPart(visit, view, order)}
        ${buyer.length > 0 ? html`<h2>${translate(locale, 'orderBuyer')}</h2>${factList(buyer)}` : null}
        <h2>${translate(locale, 'money')}</h2>
        ${factsOf(orderRows(order, reader))}
      </div>
      <div class="parts">
        <ul class="ways-on">
          <li><a class="way-on" href=${`${view.path}/orders/${order.id}/slip`}>${translate(locale, 'orderSlip')}</a></li>
          <li><a class="way-on" href=${`/${view.world}/payments/${order.paymentId}`}>${translate(locale, 'orderPayment')}</a></li>
        </ul>
        ${may(visit.user, 'order move') ? html`${moreForms(visit, view, order)}` : whoMay(locale, 'order move')}
        <h2>${translate(locale, 'orderHappened')}</h2>
        <ol class="moments">${order.history.map((each) => happened(historyRow(each, reader)))}</ol>
      </div>
    </div>
    ${backTo(`${view.path}/orders`, translate(locale, 'ordersTitle'))}`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

const happened = ([when, text]: Row): Markup => html`<li><time>${when}</time> <bdi>${text}</bdi></li>`

function questionPart({ locale, user, form }: OwnVisit, { path }: ShopView, order: ShownOrder): Markup {
  const { question, id, changes } = order
  if (question === null) return null
  return html`<section class="card" data-state="refused">
    <h2>${translate(locale, 'orderQuestion')}</h2>
    <p>${questionText(question, locale)}</p>
    ${
      may(user, 'order note')
        ? html`<form method="post" action=${`${path}/orders/${id}/note`} class="fields">
            ${hiddenFields({ seen: String(changes), answers: 'yes' })}
            ${textArea({ name: 'text', label: translate(locale, 'orderAnswer'), value: form.answers ? (form.text ?? '') : '', hint: translate(locale, 'orderNoteHint') })}
            <button class="button">${translate(locale, 'orderAnswerDo')}</button>
          </form>`
        : whoMay(locale, 'order note')
    }
  </section>`
}

/** Links to the next order, for a person who packs one after the other. */
async function nextPart(
  { locale }: OwnVisit,
  { ctx, merchantId, path }: ShopView,
  order: ShownOrder,
): Promise<Markup> {
  const [next] = (await listToPack(ctx, { merchantId, limit: 2 })).filter(({ id }) => id !== order.id)
  if (!next) return html`<p class="hint">${translate(locale, 'orderNoNext')}</p>`
  return html`<p><a class="button quiet" href=${`${path}/orders/${next.id}`}>${translate(locale, 'orderNext')}</a></p>`
}

function moreForms({ locale, form }: OwnVisit, { path }: ShopView, { id, changes, way }: ShownOrder): Markup {
  const others = WAYS.filter((each) => each !== way)
  return html`<details class="more">
      <summary>${translate(locale, 'orderOther')}</summary>
      <form method="post" action=${`${path}/orders/${id}/move`} class="fields">
        ${hiddenFields({ seen: String(changes), from: 'order' })}
        ${selectField(
          'to',
          translate(locale, 'orderOther'),
          others.map((each) => [each, translate(locale, `orderMove_${each}`)] as const),
          form.to ?? others[0] ?? way,
        )}
        ${tick('anyway', translate(locale, 'orderAnyway'))}
        <button class="button quiet">${translate(locale, 'productSave')}</button>
      </form>
    </details>
    <details class="more">
      <summary>${translate(locale, 'orderNote')}</summary>
      <form method="post" action=${`${path}/orders/${id}/note`} class="fields">
        ${hiddenFields({ seen: String(changes) })}
        <p class="field">
          <label for="note">${translate(locale, 'orderNote')}</label>
          <textarea id="note" name="text" rows="3" required aria-describedby="note-hint">${form.answers ? '' : (form.text ?? '')}</textarea>
          <small id="note-hint">${translate(locale, 'orderNoteHint')}</small>
        </p>
        <button class="button quiet">${translate(locale, 'orderNoteDo')}</button>
      </form>
    </details>`
}

/** Returns how many changes the person saw; -1, which no order has, for anything else. */
const seenOf = ({ seen = '' }: OwnVisit['form']): number => (/^\d{1,9}$/.test(seen) ? Number(seen) : -1)

const named = ({ merchantId, id }: ShownOrder, wish: object) =>
  [`${merchantId} ${id}`, { merchantId, order: id, ...wish }] as const

const refusedScreen = async (visit: OwnVisit, problem: string): Promise<Screen> =>
  orderScreen(visit, { ...(await findOwn(visit)), problem })

const move: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/orders/:order/move',
  needs: 'order move',
  async handle(visit) {
    const { view, order } = await findOwn(visit)
    const { form } = visit
    const to = WAYS.find((each) => each === form.to)
    if (!to) return orderScreen(visit, { view, order })
    return doOrShowRefusal(
      visit.locale,
      async () => {
        const wish = { to, anyway: form.anyway === 'yes', seen: seenOf(form) }
        await actFor(visit, moveRow, ...named(order, wish))
        if (form.from !== 'list') return `${view.path}/orders/${order.id}?moved=${to}`
        const { way } = order
        const texts = { ...(way !== 'new' && way !== to && { way }), moved: to, number: numberOf(order) }
        return `${view.path}/orders?${new URLSearchParams(texts)}`
      },
      (problem) => refusedScreen(visit, problem),
    )
  },
}

const note = formPage({
  path: '/:world/shops/:merchant/orders/:order/note',
  needs: 'order note',
  again: refusedScreen,
  async send(visit) {
    const { view, order } = await findOwn(visit)
    const { form } = visit
    const wish = { text: form.text ?? '', answers: form.answers === 'yes', seen: seenOf(form) }
    await actFor(visit, noteRow, ...named(order, wish))
    return `${view.path}/orders/${order.id}?done=noted`
  },
})

const slip: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/orders/:order/slip',
  needs: 'order list',
  async handle(visit) {
    const { view, order } = await findOwn(visit)
    const title = `${translate(visit.locale, 'orderSlip')} ${numberOf(order)}`
    const back = backTo(
      `${view.path}/orders/${order.id}`,
      `${translate(visit.locale, 'order')} ${numberOf(order)}`,
    )
    return {
      kind: 'screen',
      title,
      body: printPage(visit, { title, slips: [order], back, isList: false }, view),
    }
  },
}

export const ORDER_SCREENS: readonly ConsolePage[] = [page, move, note, slip]
