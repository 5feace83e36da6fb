/** The list of payments. What it is cut to stands in its address, and nowhere else. */
import { may } from '../../access/roles.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { findPayments } from '../../operator/finding/find.ts'
import { lookFor } from '../../operator/finding/list.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, formatMoment, type Locale } from '../../pages/words/locale.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { filterTags } from '../page-parts.ts'
import { say } from '../words/say.ts'
import { type View, viewOf } from '../world.ts'
import { boundsOf, DAYS, type Day } from './days.ts'

const PAGE = 25
const Q_CHARS_MAX = 120

type Filter = { q?: string; status?: PaymentStatus | undefined; day?: Day }
type Listed = { payments: AttemptedPayment[]; next: string | null; isAll: boolean }

export const payments: ConsolePage = {
  method: 'get',
  path: '/:world/payments',
  needs: 'payment list',
  async handle(visit) {
    const { locale } = visit
    const view = await viewOf(visit)
    const filter = readFilter(visit)
    const { payments: found, next, isAll } = await list(view, filter, visit.query.after)
    const title = say(locale, 'paymentsTitle')
    const body = html`<h1>${title}</h1>
      ${searchForm(locale, view.world, filter, { mayChooseDay: may(visit.user, 'payment history') })}
      ${chosen(locale, view.world, filter)}
      ${found.length === 0 ? html`<p class="lead">${say(locale, 'paymentsNone')}</p>` : null}
      <ul class="rows">
        ${found.map((payment) => paymentRow(locale, view, payment))}
      </ul>
      ${isAll ? null : html`<p class="hint">${say(locale, 'foundMore')}</p>`}
      ${next === null ? null : html`<p><a class="button quiet" href=${addressOf(view.world, filter, next)}>${say(locale, 'olderOnes')}</a></p>`}
      <p class="hint">${say(locale, 'inZone', { zone: view.timeZone })}</p>`
    return { kind: 'screen', title, body }
  },
}

async function list(
  view: View,
  { q, status, day = 'today' }: Filter,
  after: string | undefined,
): Promise<Listed> {
  const { ctx, merchantId, timeZone: zone } = view
  if (q) {
    const { found, isAll } = await findPayments(ctx, q, { merchantId, zone, limit: PAGE })
    return { payments: found.map(({ payment }) => payment), next: null, isAll }
  }
  const bounds = boundsOf(day, view)
  const page = await lookFor(ctx, {
    ...{ merchantId, ...bounds, limit: PAGE, status: status ?? null },
    after: after !== undefined && /^pay_[a-z0-9_]{10,60}$/.test(after) ? after : null,
  })
  return { ...page, isAll: true }
}

/** Anything that is not a filter is ignored. A cashier sees today, and finds any other payment by what the buyer says. */
function readFilter({ query, user }: OwnVisit): Filter {
  const q = query.q?.trim().slice(0, Q_CHARS_MAX)
  const day = DAYS.find((each) => each === query.day) ?? 'today'
  return {
    ...(q && { q }),
    status: PAYMENT_STATUSES.find((each) => each === query.status),
    day: may(user, 'payment history') ? day : 'today',
  }
}

function addressOf(world: string, { q, status, day }: Filter, after?: string): string {
  const entries = Object.entries({ q, status, day, after }).filter(([, value]) => value !== undefined)
  return `/${world}/payments?${new URLSearchParams(entries as [string, string][])}`
}

export function searchForm(
  locale: Locale,
  world: string,
  { q = '', status, day = 'today' }: Filter,
  { mayChooseDay = false } = {},
): Markup {
  return html`<search>
    <form method="get" action=${`/${world}/payments`} class="fields">
      <p class="field">
        <label for="q">${say(locale, 'find')}</label>
        <input id="q" name="q" type="search" value=${q} maxlength=${Q_CHARS_MAX} aria-describedby="q-hint" autocomplete="off" />
        <small id="q-hint">${say(locale, 'findHint')}</small>
      </p>
      ${
        mayChooseDay && !q
          ? html`<div class="pair">
              ${selectField(
                'day',
                say(locale, 'day'),
                DAYS.map((each) => [each, say(locale, `day_${each}`)]),
                day,
              )}
              ${selectField('status', say(locale, 'status'), [['', say(locale, 'anyStatus')], ...PAYMENT_STATUSES.map((each) => [each, say(locale, `status_${each}`)] as [string, string])], status ?? '')}
            </div>`
          : null
      }
      <button class="button">${say(locale, 'show')}</button>
    </form>
  </search>`
}

function chosen(locale: Locale, world: string, { q, status, day = 'today' }: Filter): Markup {
  const text = q || (status && say(locale, `status_${status}`))
  return filterTags(locale, text ? [[text, addressOf(world, { day })]] : [])
}

function paymentRow(locale: Locale, { world, timeZone }: View, payment: AttemptedPayment): Markup {
  const { id, amountMinor, currency, status, createdAt, merchantOrderId, customer } = payment
  return html`<li>
    <a href=${`/${world}/payments/${id}`} class="row" data-status=${status}>
      <strong>${formatAmount(amountMinor, currency, locale)}</strong>
      <span>${say(locale, `status_${status}`)}</span>
      <span class="hint">${formatMoment(createdAt.toISOString(), locale, { timeZone })} · ${merchantOrderId}${customer?.name ? ` · ${customer.name}` : ''}</span>
    </a>
  </li>`
}
