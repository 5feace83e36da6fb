/** The events of a shop: how its callback URL is, each event with its state, and sending those of a day again. */
import { may } from '../../acts/policy.ts'
import {
  countEvents,
  EVENTS_COUNTED_MAX,
  type EventState,
  type EventSummary,
  listEventPage,
} from '../../operator/event-history.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  getReceiverHealth,
  ORDER_BOOK_URL,
  type ReceiverHealth,
  stateOfReceiver,
  withoutQuery,
} from '../../receivers/receiver.ts'
import { alertOf, hiddenFields, noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, whoMay, wideScreen } from '../page-parts.ts'
import { addressWith, factList, momentText, moreLink } from '../parts.ts'
import { markOf, refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'
import { cutForm, cutTags, EVENT_ID, type EventsCut, ownAfter, queryOf, readCut } from './cut.ts'

const PAGE = 25

export const events: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/events',
  needs: 'event list',
  handle: async (visit) => eventsScreen(visit, await shopOf(visit)),
}

export async function eventsScreen(visit: OwnVisit, view: ShopView, problem?: string): Promise<Screen> {
  const { locale, query, form } = visit
  const { ctx, merchantId, merchant, path } = view
  const given = Object.keys(form).length > 0 ? form : query
  const cut = await readCut(given, view)
  const { days = {}, state, payment } = cut ?? {}
  const wrongDay = cut ? problem : translate(locale, 'eventsDayWrong')
  const after = await ownAfter(view, query.after)
  const [health, counts, page] = await Promise.all([
    getReceiverHealth(ctx, merchantId),
    // Those of one payment are few, and all are shown.
    payment ? [] : countEvents(ctx, { merchantId, ...days }),
    listEventPage(ctx, { merchantId, paymentId: payment, state, ...days, after, limit: PAGE }),
  ])
  const sent = /^\d{1,6}$/.test(query.sent ?? '') ? query.sent : undefined
  const title = translate(locale, 'eventsTitle')
  const own = `${path}/events`
  const isMoving = [...counts, ...page.events].some((each) => each.state === 'pending')
  const refreshing = {
    mark: markOf([counts, page.events.map((each) => [each.id, each.state, each.attempts])]),
  }
  const isLive = isMoving && wrongDay === undefined && after === undefined
  const parts = html`<div class="parts">
    ${countsOf(visit, counts)}
    ${page.events.length === 0 ? html`<p class="lead">${translate(locale, page.next ? 'listNoneSoFar' : 'eventsNone')}</p>` : null}
    <ul class="rows">${page.events.map((each) => row(visit, view, each))}</ul>
    ${moreLink(locale, page.next && addressWith(own, { ...queryOf(cut), after: page.next }))}
  </div>`
  const body = html`${alertOf(wrongDay)}
    ${noticeOf(sent === undefined ? null : translate(locale, 'eventsSent', { count: Number(sent) }))}
    ${healthOf(visit, view, health)}
    ${cutForm(visit, given.day ?? '', cut)}
    ${cutTags(visit, own, cut)}
    ${replayForm(visit, { own, cut, counts, merchantHasUrl: merchant.callbackUrl !== null })}
    ${refreshingPart(refreshing, parts, { isWaiting: isLive })}
    ${backTo(path, merchant.name)}`
  return wideScreen({ title, body, ...(isLive && { refreshing }), ...(wrongDay && { status: 422 }) })
}

function healthOf({ locale }: OwnVisit, { merchant, timeZone }: ShopView, health: ReceiverHealth): Markup {
  const { receiver, lastFailure, waiting, givenUp } = health
  const url = merchant.callbackUrl
  if (url === null) return html`<p class="alert">${translate(locale, 'receiverNone')}</p>`
  const state = stateOfReceiver(receiver)
  const at = (moment: Date | null | undefined) => momentText(moment ?? null, locale, timeZone)
  return html`<section class="advice" data-receiver=${state}>
    <h2>${translate(locale, `receiver_${state}`)}</h2>
    ${factList([
      [
        translate(locale, 'receiverUrl'),
        url === ORDER_BOOK_URL ? translate(locale, 'receiverBook') : withoutQuery(url),
      ],
      [translate(locale, 'since'), at(receiver?.failingSince)],
      [
        translate(locale, 'receiverFailures'),
        receiver && receiver.failures > 0 ? String(receiver.failures) : null,
      ],
      [
        translate(locale, 'lastAnswer'),
        lastFailure && (lastFailure.failure ?? String(lastFailure.statusCode)),
      ],
      [translate(locale, 'receiverNext'), at(receiver?.probeAt)],
      [translate(locale, 'eventsWaiting'), String(waiting)],
      [translate(locale, 'eventsGivenUp'), String(givenUp)],
    ])}
  </section>`
}

/** The progress of the sending. The page refreshes itself until all events are sent. */
function countsOf({ locale }: OwnVisit, counts: Awaited<ReturnType<typeof countEvents>>): Markup {
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  const texts = counts.map(({ state, count }) => `${translate(locale, `event_${state}`)} ${count}`)
  return html`<p class="counts" data-testid="counts">
    ${texts.join(' · ')}${all >= EVENTS_COUNTED_MAX ? ` ${translate(locale, 'eventsNewest', { count: String(all) })}` : ''}
  </p>`
}

type Replaying = {
  own: string
  cut: EventsCut | null
  counts: { state: EventState; count: number }[]
  merchantHasUrl: boolean
}

/** The form that sends the events of one day again. Longer ranges are not offered. */
function replayForm(
  { locale, user, query }: OwnVisit,
  { own, cut, counts, merchantHasUrl }: Replaying,
): Markup {
  if (!cut?.day || cut.payment || !merchantHasUrl) return null
  const count = counts.reduce(
    (sum, each) => sum + (!cut.state || each.state === cut.state ? each.count : 0),
    0,
  )
  if (count === 0) return null
  if (!may(user, 'event replay')) return whoMay(locale, 'event replay')
  const from = EVENT_ID.test(query.from ?? '') ? query.from : undefined
  return html`<form method="post" action=${`${own}/replay`} class="fields">
    ${hiddenFields({ day: cut.day, state: cut.state ?? '', ...(from && { from }) })}
    <button class="button">${translate(locale, from ? 'eventsSendRest' : cut.state ? 'eventsSendState' : 'eventsSendDay', { count: String(count), state: cut.state ? translate(locale, `event_${cut.state}`) : '' })}</button>
    <small>${translate(locale, 'eventsSendHint')}</small>
  </form>`
}

function row({ locale }: OwnVisit, { path, timeZone }: ShopView, event: EventSummary): Markup {
  const { id, status, state, attempts, merchantOrderId, createdAt } = event
  return html`<li>
    <a href=${`${path}/events/${id}`} class="row" data-state=${state}>
      <strong>${translate(locale, `status_${status}`)}</strong>
      <span>${translate(locale, `event_${state}`)}</span>
      <span class="hint">${momentText(createdAt, locale, timeZone)} · ${merchantOrderId} · ${translate(locale, 'eventTries', { count: attempts })}</span>
    </a>
  </li>`
}
