/** The first screen: what happened today, as numbers that each open their list. */
import { may } from '../../access/roles.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { countDesk, COUNTED_MAX as DESK_COUNTED_MAX } from '../../operator/desk/desk.ts'
import { lookFor } from '../../operator/finding/list.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { mainWorld } from '../../worlds.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { type View, viewOf } from '../world.ts'
import { boundsOf } from './days.ts'
import { searchForm } from './list.ts'

const COUNTED_MAX = 500
/** In these a person may have to do something, whatever the day. */
const OPEN_CASES: readonly PaymentStatus[] = ['status_unknown', 'disputed']

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
    const wanted = { merchantId: view.merchantId, limit: COUNTED_MAX }
    const mayDecide = may(visit.user, 'desk list')
    const [waiting, { payments, next }, ...cases] = await Promise.all([
      mayDecide ? countDesk(view.ctx, view.merchantId) : [],
      lookFor(view.ctx, { ...wanted, ...boundsOf('today', view) }),
      ...OPEN_CASES.map((status) => lookFor(view.ctx, { ...wanted, status })),
    ])
    const open = OPEN_CASES.flatMap((status, at) => {
      const found = cases[at]?.payments ?? []
      return found.length > 0 ? [row(visit.locale, view, { status, day: 'all', payments: found })] : []
    })
    const statuses = [...new Set(payments.map(({ status }) => status))]
    const title = say(locale, 'todayTitle')
    const body = html`<h1>${title}</h1>
      ${searchForm(locale, view.world, {})}
      ${deskNumber(locale, view, waiting)}
      ${open.length > 0 && !mayDecide ? html`<h2>${say(locale, 'needsPerson')}</h2><ul class="numbers">${open}</ul>` : null}
      ${payments.length === 0 ? html`<p class="lead">${say(locale, 'todayNone')}</p>` : null}
      <ul class="numbers">
        ${statuses.map((status) =>
          row(locale, view, {
            status,
            day: 'today',
            payments: payments.filter((each) => each.status === status),
          }),
        )}
      </ul>
      ${next === null ? null : html`<p class="hint">${say(locale, 'todayCut', { count: String(COUNTED_MAX) })}</p>`}
      <p class="hint">${say(locale, 'inZone', { zone: view.timeZone })}</p>`
    return { kind: 'screen', title, body }
  },
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

function row(
  locale: Locale,
  { world }: View,
  { status, day, payments }: { status: PaymentStatus; day: string; payments: AttemptedPayment[] },
): Markup {
  const to = `/${world}/payments?${new URLSearchParams({ day, status })}`
  return html`<li>
    <a href=${to} class="number">
      <strong>${payments.length}</strong>
      <span>${say(locale, `status_${status}`)}</span>
      <span class="sum">${sumsOf(payments, locale)}</span>
    </a>
  </li>`
}

/** The sum in each currency: of what was taken, or where nothing was taken, of what was asked. */
function sumsOf(payments: AttemptedPayment[], locale: Locale): string {
  const sums = new Map<CurrencyCode, number>()
  for (const { currency, capturedMinor, amountMinor } of payments)
    sums.set(currency, (sums.get(currency) ?? 0) + (capturedMinor || amountMinor))
  return [...sums].map(([currency, minor]) => formatAmount(minor, currency, locale)).join(', ')
}
