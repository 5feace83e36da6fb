/** The events of a shop: how its callback URL is, each event with its state, and sending those of a day again. */
import { may } from '../../access/roles.ts'
import { AppError } from '../../errors.ts'
import {
  countEvents,
  EVENT_STATES,
  EVENTS_COUNTED_MAX,
  type EventState,
  type EventSummary,
  getEvent,
  listEventPage,
} from '../../operator/event-history.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  getReceiverHealth,
  ORDER_BOOK_URL,
  type ReceiverHealth,
  stateOfReceiver,
  withoutQuery,
} from '../../receivers/receiver.ts'
import { alertOf, hiddenFields, noticeOf, selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, whoMay } from '../page-parts.ts'
import { addressWith, factList, momentText, moreLink } from '../parts.ts'
import { type ConsoleKey, say } from '../words/say.ts'
import { type ShopView, shopOf } from '../world.ts'

const PAGE = 25
const DAY_CHARS_MAX = 40
export const EVENT_ID = /^evt_[a-z0-9_]{10,70}$/

export const events: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/events',
  needs: 'event list',
  handle: async (visit) => eventsScreen(visit, await shopOf(visit)),
}

/** What the list is cut to. `day` is as a person writes it. */
export type EventsCut = { day: string; days: { since?: Date; until?: Date }; state: EventState | undefined }

/** Returns null for a day that nobody understands. */
export function readCut(given: Record<string, string>, { ctx, timeZone }: ShopView): EventsCut | null {
  const day = given.day?.trim().slice(0, DAY_CHARS_MAX) ?? ''
  const state = EVENT_STATES.find((each) => each === given.state)
  if (day === '') return { day, days: {}, state }
  const { days } = takeDay(day, ctx.clock.now(), timeZone)
  return days && { day, days, state }
}

export async function eventsScreen(visit: OwnVisit, view: ShopView, problem?: string): Promise<Screen> {
  const { locale, query, form } = visit
  const { ctx, merchantId, merchant, path } = view
  const given = Object.keys(form).length > 0 ? form : query
  const cut = readCut(given, view)
  const { day, days, state } = cut ?? { day: '', days: {}, state: undefined }
  const after = await ownAfter(view, query.after)
  const [health, counts, page] = await Promise.all([
    getReceiverHealth(ctx, merchantId),
    countEvents(ctx, { merchantId, ...days }),
    listEventPage(ctx, { merchantId, state, ...days, after, limit: PAGE }),
  ])
  const sent = /^\d{1,6}$/.test(query.sent ?? '') ? query.sent : undefined
  const title = say(locale, 'eventsTitle')
  const wrongDay = cut ? problem : say(locale, 'eventsDayWrong')
  const own = `${path}/events`
  const body = html`<h1>${title}</h1>
    ${alertOf(wrongDay)}
    ${noticeOf(sent === undefined ? null : say(locale, 'eventsSent', { count: sent }))}
    ${healthOf(visit, view, health)}
    <search>
      <form method="get" class="fields">
        <div class="pair">
          <p class="field"><label for="field-day">${say(locale, 'day')}</label>
            <input id="field-day" name="day" value=${given.day ?? ''} maxlength=${DAY_CHARS_MAX} autocomplete="off" aria-describedby="hint-day" /></p>
          ${selectField('state', say(locale, 'status'), [['', say(locale, 'anyStatus')], ...EVENT_STATES.map((each) => [each, say(locale, `event_${each}`)] as const)], state ?? '')}
        </div>
        <small id="hint-day">${say(locale, 'eventsDayHint')}</small>
        <button class="button quiet">${say(locale, 'show')}</button>
      </form>
    </search>
    ${countsOf(visit, counts, addressWith(own, { day, state }))}
    ${replayForm(visit, { own, cut, counts, merchantHasUrl: merchant.callbackUrl !== null })}
    ${page.events.length === 0 ? html`<p class="lead">${say(locale, 'eventsNone')}</p>` : null}
    <ul class="rows">${page.events.map((each) => row(visit, view, each))}</ul>
    ${moreLink(locale, page.next && addressWith(own, { day, state, after: page.next }))}
    <p class="hint">${say(locale, 'inZone', { zone: view.timeZone })}</p>
    ${backTo(path, merchant.name)}`
  return { kind: 'screen', title, body, ...(wrongDay && { status: 422 }) }
}

/** One of another shop counts as none. @throws AppError not_found */
async function ownAfter({ ctx, merchantId }: ShopView, after = ''): Promise<string | undefined> {
  if (!EVENT_ID.test(after)) return undefined
  const { event } = await getEvent(ctx, after)
  if (event.merchantId !== merchantId) throw new AppError('not_found')
  return after
}

function healthOf({ locale }: OwnVisit, { merchant, timeZone }: ShopView, health: ReceiverHealth): Markup {
  const { receiver, lastFailure, waiting, givenUp } = health
  const url = merchant.callbackUrl
  if (url === null) return html`<p class="alert">${say(locale, 'receiverNone')}</p>`
  const state = stateOfReceiver(receiver)
  const at = (moment: Date | null | undefined) => momentText(moment ?? null, locale, timeZone)
  return html`<section class="advice" data-receiver=${state}>
    <h2>${say(locale, `receiver_${state}`)}</h2>
    ${factList([
      [say(locale, 'receiverUrl'), url === ORDER_BOOK_URL ? say(locale, 'receiverBook') : withoutQuery(url)],
      [say(locale, 'since'), at(receiver?.failingSince)],
      [say(locale, 'receiverFailures'), receiver && receiver.failures > 0 ? String(receiver.failures) : null],
      [say(locale, 'lastAnswer'), lastFailure && (lastFailure.failure ?? String(lastFailure.statusCode))],
      [say(locale, 'receiverNext'), at(receiver?.probeAt)],
      [say(locale, 'eventsWaiting'), String(waiting)],
      [say(locale, 'eventsGivenUp'), String(givenUp)],
    ])}
  </section>`
}

/** How far the sending is. Loading the page again shows how it goes on. */
function countsOf(
  { locale }: OwnVisit,
  counts: Awaited<ReturnType<typeof countEvents>>,
  address: string,
): Markup {
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  const texts = counts.map(({ state, count }) => `${say(locale, `event_${state}`)} ${count}`)
  const isMoving = counts.some(({ state }) => state === 'pending')
  return html`<p class="counts" data-testid="counts">
    ${texts.join(' · ')}${all >= EVENTS_COUNTED_MAX ? ` ${say(locale, 'eventsNewest', { count: String(all) })}` : ''}
    ${isMoving ? html` <a href=${address}>${say(locale, 'refresh')}</a>` : null}
  </p>`
}

type Replaying = {
  own: string
  cut: EventsCut | null
  counts: { state: EventState; count: number }[]
  merchantHasUrl: boolean
}

/** Only a day is sent again at once: whatever a receiver has missed, it has missed on a day. */
function replayForm(
  { locale, user, query }: OwnVisit,
  { own, cut, counts, merchantHasUrl }: Replaying,
): Markup {
  if (!cut?.day || !merchantHasUrl) return null
  const count = counts.reduce(
    (sum, each) => sum + (!cut.state || each.state === cut.state ? each.count : 0),
    0,
  )
  if (count === 0) return null
  if (!may(user, 'event replay')) return whoMay(locale, 'event replay')
  const from = EVENT_ID.test(query.from ?? '') ? query.from : undefined
  return html`<form method="post" action=${`${own}/replay`} class="fields">
    ${hiddenFields({ day: cut.day, state: cut.state ?? '', ...(from && { from }) })}
    <button class="button">${say(locale, (from ? 'eventsSendRest' : cut.state ? 'eventsSendState' : 'eventsSendDay') as ConsoleKey, { count: String(count), state: cut.state ? say(locale, `event_${cut.state}`) : '' })}</button>
    <small>${say(locale, 'eventsSendHint')}</small>
  </form>`
}

function row({ locale }: OwnVisit, { path, timeZone }: ShopView, event: EventSummary): Markup {
  const { id, status, state, attempts, merchantOrderId, createdAt } = event
  return html`<li>
    <a href=${`${path}/events/${id}`} class="row" data-state=${state}>
      <strong>${say(locale, `status_${status}`)}</strong>
      <span>${say(locale, `event_${state}`)}</span>
      <span class="hint">${momentText(createdAt, locale, timeZone)} · ${merchantOrderId} · ${say(locale, 'eventTries', { count: String(attempts) })}</span>
    </a>
  </li>`
}
