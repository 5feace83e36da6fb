/** The first screen: what happened today, as numbers that each open their list. New payments appear by themselves. */
import { reading } from '../../access/acting.ts'
import { may } from '../../acts/policy.ts'
import type { Worlds } from '../../context.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { countDesk, COUNTED_MAX as DESK_COUNTED_MAX } from '../../operator/desk/desk.ts'
import { COUNTED_MAX, countByStatus, type StatusCount } from '../../operator/finding/counts.ts'
import { lookFor } from '../../operator/finding/list.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { moneyOfToday } from '../../reports/money-days.ts'
import { mainWorld } from '../../worlds.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { markOf, refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { type View, viewOf } from '../world.ts'
import { cutOfDay, dayRule } from './days.ts'
import { quickSearch } from './filter-form.ts'
import { addressOf } from './filters.ts'
import { paymentRows, shopsOf } from './payment-rows.ts'
import { moneyBefore, moneyFigures, moneyTrend } from './today-money.ts'

const LATEST = 6

/** What nobody has paid comes last: it asks for nothing today. */
const UNPAID: readonly PaymentStatus[] = [
  'pending_payment',
  'pending_redirect',
  'created',
  'failed',
  'cancelled',
  'expired',
]
const placeOf = ({ status }: StatusCount): number =>
  UNPAID.indexOf(status) + 1 || PAYMENT_STATUSES.indexOf(status) - PAYMENT_STATUSES.length

/** In these a person may have to do something, whatever the day. */
const OPEN_CASES = ['status_unknown', 'disputed'] as const

export const start: ConsolePage = {
  method: 'get',
  path: '/',
  needs: 'session',
  async handle({ worlds, user }) {
    const { world } = mainWorld(worlds)
    if (user.role === 'cashier') return { kind: 'redirect', to: `/${world}/counter` }
    const { role, merchantId } = user
    if (role === 'shop' && merchantId !== null && (await isInFirstHour(worlds, merchantId)))
      return { kind: 'redirect', to: `/${world}/shops/${merchantId}/live` }
    return { kind: 'redirect', to: `/${world}/today` }
  },
}

/** Whether nobody has begun to buy yet. The open steps are of more use then than an empty day. */
async function isInFirstHour(worlds: Worlds, merchantId: string): Promise<boolean> {
  const { payments } = await lookFor(reading(mainWorld(worlds)), { merchantId, limit: 1 })
  return payments.length === 0
}

export const today: ConsolePage = {
  method: 'get',
  path: '/:world/today',
  needs: 'payment list',
  async handle(visit) {
    const { locale } = visit
    const view = await viewOf(visit)
    const { ctx, merchantId } = view
    const mayDecide = may(visit.user, 'desk list')
    const mayAll = may(visit.user, 'payment history')
    const ofDay = cutOfDay('created', 'today', view)
    const isWaiting = visit.look !== null
    const [waiting, today, earlier, ofToday, { payments: latest }, ...cases] = await Promise.all([
      mayDecide ? countDesk(ctx, merchantId) : [],
      moneyOfToday(ctx, merchantId),
      mayAll && !isWaiting ? moneyBefore(view) : null,
      countByStatus(ctx, { merchantId, ...ofDay }),
      lookFor(ctx, { merchantId, limit: LATEST, ...(mayAll ? {} : ofDay) }),
      ...(mayDecide ? [] : OPEN_CASES.map((status) => countByStatus(ctx, { merchantId, status }))),
    ])
    const open = cases.flat()
    const isCut = [...ofToday, ...open].some(({ isMinimum }) => isMinimum)
    const title = translate(locale, 'todayTitle')
    const format = { weekday: 'long', day: 'numeric', month: 'long', timeZone: view.timeZone } as const
    const day = new Intl.DateTimeFormat(locale, format).format(ctx.clock.now())
    const mark = markOf([
      ...[day, waiting],
      ...today.map(Object.values).map(String),
      ...[...open, ...ofToday].map(textsOf),
      ...latest.map(({ id, version }) => `${id} ${version}`),
    ])
    const refreshing = { mark }
    // A browser that waits gets no page while nothing has changed, and earlier days change only with the day.
    const isNews = isWaiting && visit.look?.mark !== mark
    const before = mayAll && isNews ? await moneyBefore(view) : earlier
    const money = { today, before }
    const shops = await shopsOf(view, latest)
    const counts = ofToday.toSorted((one, other) => placeOf(one) - placeOf(other))
    const numbers = html`<div class="parts">
      <p class="hint">${day}</p>
      ${deskNumber(locale, view, waiting)}
      ${open.length > 0 ? html`<h2>${translate(locale, 'needsPerson')}</h2><ul class="numbers">${open.map((each) => row(locale, view, 'all', each))}</ul>` : null}
      ${money.today.length === 0 && ofToday.length === 0 ? emptyDay(visit, view) : null}
      ${moneyFigures(locale, view, money)}
      ${moneyTrend(locale, money)}
      ${latest.length > 0 ? html`<h2>${translate(locale, 'latestPayments')}</h2>${paymentRows(locale, view, latest, shops)}<p><a href=${addressOf(view.world, { day: mayAll ? 'all' : 'today' })}>${translate(locale, 'allPayments')}</a></p>` : null}
      ${counts.length > 0 ? html`<h2>${translate(locale, 'todayCreated')}</h2><ul class="numbers">${counts.map((each) => row(locale, view, 'today', each))}</ul>` : null}
      ${isCut ? html`<p class="hint">${translate(locale, 'todayCut', { count: COUNTED_MAX })}</p>` : null}
      ${dayRule(visit, view)}
    </div>`
    const body = html`${quickSearch(locale, view.world)}
      ${refreshingPart(refreshing, numbers)}`
    return wideScreen({ title, body, refreshing })
  },
}

/** A day without payments leads to the first one. */
function emptyDay({ locale, user }: OwnVisit, { world, merchantId }: View): Markup {
  const isSelling = merchantId !== null && may(user, 'link create')
  return html`<p class="lead">${translate(locale, 'todayNone')}</p>
    ${isSelling ? html`<p><a class="button" href=${`/${world}/shops/${merchantId}/link`}>${translate(locale, 'newLink')}</a></p>` : null}`
}

/** Whoever may look at the desk is led there. Its cases are counted only up to a limit. */
function deskNumber(locale: Locale, { world }: View, waiting: readonly { count: number }[]): Markup {
  const count = waiting.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return null
  const isCut = waiting.some((each) => each.count >= DESK_COUNTED_MAX)
  return html`<h2>${translate(locale, 'needsPerson')}</h2>
    <ul class="numbers">
      <li><a href=${`/${world}/desk`} class="number"><strong>${count}${isCut ? '+' : ''}</strong><span>${translate(locale, 'casesOpen')}</span></a></li>
    </ul>`
}

function row(locale: Locale, { world }: View, day: 'today' | 'all', counted: StatusCount): Markup {
  const { status, count, isMinimum, sums } = counted
  return html`<li>
    <a href=${addressOf(world, { day, status })} class="number">
      <strong>${count}${isMinimum ? '+' : ''}</strong>
      <span>${translate(locale, `status_${status}`)}</span>
      ${sums.length > 0 ? html`<span class="sum">${sums.map(({ currency, minor }) => formatAmount(minor, currency, locale)).join(', ')}</span>` : null}
    </a>
  </li>`
}

const textsOf = ({ status, count, sums }: StatusCount) => [
  ...[status, count],
  ...sums.map(({ currency, minor }) => `${minor} ${currency}`),
]
