/** One event with its body and its tries, and sending it, or those of a day, again. */
import { may } from '../../acts/policy.ts'
import { replay } from '../../acts/rows/events.ts'
import { AppError } from '../../errors.ts'
import { type EventDetail, getEvent, sendingTime } from '../../operator/event-history.ts'
import { replaySome } from '../../operator/event-replay.ts'
import { html, type Markup } from '../../pages/html.ts'
import { withoutQuery } from '../../receivers/receiver.ts'
import { alertOf, noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, whoMay } from '../page-parts.ts'
import { addressWith, factList, momentText } from '../parts.ts'
import { refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf, writing } from '../world.ts'
import { EVENT_ID, readCut } from './cut.ts'
import { eventsScreen } from './list.ts'

/** One form sends no more at once. The next one goes on behind them. */
export const SENT_AT_ONCE_MAX = 2_000

/** @throws AppError not_found for an unknown event, and for one of another shop */
async function findOwn(visit: OwnVisit): Promise<{ view: ShopView; detail: EventDetail }> {
  const view = await shopOf(visit)
  const id = visit.params.event ?? ''
  if (!EVENT_ID.test(id)) throw new AppError('not_found')
  const detail = await getEvent(view.ctx, id)
  if (detail.event.merchantId !== view.merchantId) throw new AppError('not_found')
  return { view, detail }
}

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/events/:event',
  needs: 'event list',
  async handle(visit) {
    const { view, detail } = await findOwn(visit)
    return screenOf(visit, view, detail)
  },
}

function screenOf(visit: OwnVisit, view: ShopView, detail: EventDetail, problem?: string): Screen {
  const { locale, query } = visit
  const { event, receiver, deliveries } = detail
  const { path, timeZone, world } = view
  const at = (moment: Date | null) => momentText(moment, locale, timeZone)
  const title = translate(locale, 'eventTitle')
  const isWaiting = event.state === 'pending' && problem === undefined
  const refreshing = { mark: `${event.state} ${event.attempts} ${deliveries.length}` }
  const parts = html`<div class="parts">
    ${factList([
      [translate(locale, 'status'), translate(locale, `status_${event.status}`)],
      [translate(locale, 'order'), event.merchantOrderId],
      [translate(locale, 'eventState'), translate(locale, `event_${event.state}`)],
      [translate(locale, 'eventMade'), at(event.createdAt)],
      [translate(locale, 'eventDelivered'), at(event.deliveredAt)],
      [translate(locale, 'eventNext'), event.dueAt && at(sendingTime(event.dueAt, receiver))],
      [translate(locale, 'eventId'), event.id],
    ])}
    <h2>${translate(locale, 'eventTriesTitle')}</h2>
    ${triesOf(visit, view, detail)}
  </div>`
  const body = html`<h1>${title}</h1>
    ${alertOf(problem)}
    ${noticeOf(query.sent === '1' ? translate(locale, 'eventSent') : null)}
    ${refreshingPart(refreshing, parts, { isWaiting })}
    <p><a href=${`/${world}/payments/${event.paymentId}`}>${translate(locale, 'seePayment')}</a></p>
    ${sendForm(visit, path, event.id)}
    <details><summary>${translate(locale, 'eventBody')}</summary>
      <pre class="said" tabindex="0">${event.body === '' ? translate(locale, 'eventBlanked') : event.body}</pre>
    </details>
    ${backTo(`${path}/events`, translate(locale, 'eventsTitle'))}`
  const ends = problem === undefined ? isWaiting && { refreshing } : { status: 422 }
  return { kind: 'screen', title, body, ...ends }
}

function sendForm({ locale, user }: OwnVisit, path: string, id: string): Markup {
  if (!may(user, 'event replay')) return whoMay(locale, 'event replay')
  return html`<form method="post" action=${`${path}/events/${id}/replay`}>
    <button class="button">${translate(locale, 'eventSend')}</button>
  </form>`
}

function triesOf({ locale }: OwnVisit, { timeZone }: ShopView, { deliveries }: EventDetail): Markup {
  if (deliveries.length === 0) return html`<p>${translate(locale, 'eventNeverSent')}</p>`
  return html`<ul class="moments">
    ${deliveries.toReversed().map(
      ({ attempt, url, statusCode, failure, durationMs, responseStart, createdAt }) => html`<li>
        <time datetime=${createdAt.toISOString()}>${momentText(createdAt, locale, timeZone)}</time>
        <strong>${attempt}. ${failure ?? statusCode}</strong> <span class="hint">${withoutQuery(url)} · ${durationMs} ms</span>
        ${responseStart ? html`<pre class="said" tabindex="0">${responseStart}</pre>` : null}
      </li>`,
    )}
  </ul>`
}

const sendOne: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/events/:event/replay',
  needs: 'event replay',
  async handle(visit) {
    const { view, detail } = await findOwn(visit)
    const { id } = detail.event
    try {
      await actFor(visit, replay, id, { eventId: id })
      return { kind: 'redirect', to: `${view.path}/events/${id}?sent=1` }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error
      const key = detail.event.body === '' ? 'eventBlanked' : 'receiverNone'
      return screenOf(visit, view, detail, translate(visit.locale, key))
    }
  },
}

const sendDay: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/events/replay',
  needs: 'event replay',
  async handle(visit) {
    const { locale, form } = visit
    const view = await shopOf(visit)
    const { merchantId, path, merchant } = view
    const cut = await readCut(form, view)
    if (!cut?.day) return eventsScreen(visit, view, translate(locale, 'eventsDayWrong'))
    if (merchant.callbackUrl === null) return eventsScreen(visit, view, translate(locale, 'receiverNone'))
    const { day, days, state } = cut
    const about = `${merchantId} ${days.since?.toISOString() ?? ''}`
    const ctx = writing(visit, 'event replay', about)
    const from = EVENT_ID.test(form.from ?? '') ? form.from : undefined
    const wanted = {
      merchantId,
      state,
      ...days,
      latest: false,
      most: SENT_AT_ONCE_MAX,
      ...(from && { from }),
    }
    const { count, next } = await replaySome(ctx, wanted)
    const to = addressWith(`${path}/events`, {
      day,
      state: next ? state : null,
      sent: String(count),
      from: next,
    })
    return { kind: 'redirect', to }
  },
}

// The day first, so that no event is taken for it.
export const EVENT_PAGES: readonly ConsolePage[] = [sendDay, page, sendOne]
