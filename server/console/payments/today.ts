/** The first screen: what happened today, as numbers that each open their list. New payments appear by themselves. */
import { may } from '../../acts/policy.ts'
import { countDesk, COUNTED_MAX as DESK_COUNTED_MAX } from '../../operator/desk/desk.ts'
import { COUNTED_MAX, countByStatus, type StatusCount } from '../../operator/finding/counts.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { type DayMoney, moneyOfToday } from '../../reports/money-days.ts'
import { mainWorld } from '../../worlds.ts'
import { livePart, markOf } from '../live.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { type View, viewOf } from '../world.ts'
import { cutOfDay, dayRule } from './days.ts'
import { searchForm } from './filter-form.ts'
import { addressOf } from './filters.ts'

/** In these a person may have to do something, whatever the day. */
const OPEN_CASES = ['status_unknown', 'disputed'] as const

export const start: ConsolePage = {
  method: 'get',
  path: '/',
  needs: 'session',
  async handle({ worlds, user }) {
    const { world } = mainWorld(worlds)
    return { kind: 'redirect', to: `/${world}/${user.role === 'cashier' ? 'counter' : 'today'}` }
  },
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
    const [waiting, money, ofToday, ...cases] = await Promise.all([
      mayDecide ? countDesk(ctx, merchantId) : [],
      moneyOfToday(ctx, view),
      countByStatus(ctx, { merchantId, ...cutOfDay('created', 'today', view) }),
      ...(mayDecide ? [] : OPEN_CASES.map((status) => countByStatus(ctx, { merchantId, status }))),
    ])
    const open = cases.flat()
    const isCut = [...ofToday, ...open].some(({ isLeast }) => isLeast)
    const title = say(locale, 'todayTitle')
    const numbers = html`<div class="parts">
      ${deskNumber(locale, view, waiting)}
      ${open.length > 0 ? html`<h2>${say(locale, 'needsPerson')}</h2><ul class="numbers">${open.map((each) => row(locale, view, 'all', each))}</ul>` : null}
      ${money.length === 0 && ofToday.length === 0 ? html`<p class="lead">${say(locale, 'todayNone')}</p>` : null}
      ${moneyNumbers(locale, view, money)}
      ${ofToday.length > 0 ? html`<h2>${say(locale, 'todayCreated')}</h2><ul class="numbers">${ofToday.map((each) => row(locale, view, 'today', each))}</ul>` : null}
      ${isCut ? html`<p class="hint">${say(locale, 'todayCut', { count: COUNTED_MAX })}</p>` : null}
      ${dayRule(visit, view)}
    </div>`
    const mark = markOf([
      waiting,
      ...money.map(Object.values).map(String),
      ...[...open, ...ofToday].map(textsOf),
    ])
    const live = { mark }
    const body = html`<h1>${title}</h1>
      ${searchForm(locale, view.world)}
      ${livePart(live, numbers)}`
    return { kind: 'screen', title, body, live }
  },
}

const MONEY = ['taken', 'givenBack', 'lost'] as const

/** What moved today, by the entries. So the sums are those of the totals and of the file of this day, whenever a payment was created. */
function moneyNumbers(locale: Locale, { world }: View, money: readonly DayMoney[]): Markup {
  const rows = MONEY.flatMap((name) => {
    const sums = money.filter((each) => each[name] !== 0n)
    return sums.length > 0 ? [[name, sums] as const] : []
  })
  if (rows.length === 0) return null
  return html`<h2>${say(locale, 'todayMoney')}</h2>
    <ul class="numbers">
      ${rows.map(
        ([name, sums]) => html`<li>
          <a href=${addressOf(world, { day: 'today', of: 'moved' })} class="number" data-money=${name}>
            <span>${say(locale, `today_${name}`)}</span>
            <span class="sum">${sums.map((each) => formatAmount(each[name], each.currency, locale)).join(', ')}</span>
          </a>
        </li>`,
      )}
    </ul>`
}

/** Whoever may look at the desk is led there. Its cases are counted only up to a limit. */
function deskNumber(locale: Locale, { world }: View, waiting: readonly { count: number }[]): Markup {
  const count = waiting.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return null
  const isCut = waiting.some((each) => each.count >= DESK_COUNTED_MAX)
  return html`<h2>${say(locale, 'needsPerson')}</h2>
    <ul class="numbers">
      <li><a href=${`/${world}/desk`} class="number"><strong>${count}${isCut ? '+' : ''}</strong><span>${say(locale, 'casesOpen')}</span></a></li>
    </ul>`
}

function row(locale: Locale, { world }: View, day: 'today' | 'all', counted: StatusCount): Markup {
  const { status, count, isLeast, sums } = counted
  return html`<li>
    <a href=${addressOf(world, { day, status })} class="number">
      <strong>${count}${isLeast ? '+' : ''}</strong>
      <span>${say(locale, `status_${status}`)}</span>
      ${sums.length > 0 ? html`<span class="sum">${sums.map(({ currency, minor }) => formatAmount(minor, currency, locale)).join(', ')}</span>` : null}
    </a>
  </li>`
}

const textsOf = ({ status, count, sums }: StatusCount) => [
  ...[status, count],
  ...sums.map(({ currency, minor }) => `${minor} ${currency}`),
]
