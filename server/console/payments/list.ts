/** The list of payments, and the same payments as a file. */
import { may } from '../../acts/policy.ts'
import { exportFile } from '../../operator/export/payments.ts'
import { findPayments } from '../../operator/finding/find.ts'
import { lookFor } from '../../operator/finding/list.ts'
import { html } from '../../pages/html.ts'
import { EVER } from '../../reports/money-days.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { namesOfRoles, wideScreen } from '../page-parts.ts'
import { markOf, refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { type View, viewOf } from '../world.ts'
import { dayRule, isOtherDay } from './days.ts'
import { chosenTags, filterFields, searchForm } from './filter-form.ts'
import { addressOf, type Filters, readFilters } from './filters.ts'
import { paymentRows, shopsOf } from './payment-rows.ts'

const PAGE = 25

type Listed = { payments: AttemptedPayment[]; next: string | null; isAll: boolean }
const NOTHING: Listed = { payments: [], next: null, isAll: true }

export const payments: ConsolePage = {
  method: 'get',
  path: '/:world/payments',
  needs: 'payment list',
  async handle(visit) {
    const view = await viewOf(visit)
    return listScreen(visit, view, readFilters(visit, view))
  },
}

async function listScreen(visit: OwnVisit, view: View, filters: Filters): Promise<Screen> {
  const { locale, user, query } = visit
  const { typed, problem } = filters
  // A day that the person may not list may be the number of an order all the same.
  const isOrder = typed.q !== undefined && isOtherDay(visit, view, typed.q)
  const listed = problem === undefined ? await list(view, filters, { after: query.after, isOrder }) : NOTHING
  const { payments: found, next, isAll } = listed
  const isRefused = isOrder && found.length === 0
  const mayList = problem === undefined && !isRefused
  const shops = await shopsOf(view, found)
  // Payments come in only at the top of the list of today.
  const isLive = typed.day === 'today' && query.after === undefined
  const refreshing = { mark: markOf([...found.map(({ id, version }) => `${id} ${version}`), next]) }
  const mayExport = may(user, 'payment export') && !typed.q && found.length > 0
  const title = translate(locale, 'paymentsTitle')
  const rows = html`
    ${isRefused ? html`<p class="advice">${translate(locale, 'notAllowedText', { roles: namesOfRoles(locale, 'payment history') })}</p>` : null}
    ${found.length === 0 && mayList ? html`<p class="lead">${translate(locale, 'paymentsNone')}</p>` : null}
    ${paymentRows(locale, view, found, shops)}
    ${isAll ? null : html`<p class="hint">${translate(locale, 'foundMore')}</p>`}
    ${next === null ? null : html`<p><a class="button quiet" href=${addressOf(view.world, { ...typed, after: next })}>${translate(locale, 'olderOnes')}</a></p>`}`
  const body = html`${searchForm(locale, view.world, typed.q ?? '', filterFields(visit, view, typed))}
    ${chosenTags(visit, view, typed)}
    ${dayRule(visit, view)}
    ${refreshingPart(refreshing, html`<div class="parts">${rows}</div>`, { isWaiting: isLive })}
    ${mayExport ? html`<p><a class="way-on" href=${addressOf(view.world, typed, '.csv')} download>${translate(locale, 'exportThese')}</a> <small>${view.zones.length === 1 ? translate(locale, 'exportHint', { zone: view.timeZone }) : translate(locale, 'exportHintOfAll')}</small></p>` : null}`
  return wideScreen({ title, body, problem, ...(isLive && { refreshing }) })
}

async function list(
  view: View,
  { typed, wanted }: Filters,
  { after, isOrder }: { after: string | undefined; isOrder: boolean },
): Promise<Listed> {
  const { ctx, merchantId, zones } = view
  if (typed.q) {
    const { found, isAll } = await findPayments(ctx, typed.q, {
      isOrder,
      merchantId,
      zones,
      limit: PAGE,
      filter: wanted,
    })
    return { payments: found.map(({ payment }) => payment), next: null, isAll }
  }
  const page = await lookFor(ctx, {
    ...wanted,
    merchantId,
    limit: PAGE,
    after: after !== undefined && /^pay_[a-z0-9_]{10,60}$/.test(after) ? after : null,
  })
  return { ...page, isAll: true }
}

/** The file has the zone of its times in each line, and in its name. */
export const paymentsFile: ConsolePage = {
  method: 'get',
  path: '/:world/payments.csv',
  needs: 'payment export',
  isHeavy: true,
  async handle(visit) {
    const view = await viewOf(visit)
    const { ctx, merchantId, timeZone, zones } = view
    const filters = readFilters(visit, view)
    // A search has only its likeliest payments. The file of it would be taken for all of them.
    if (filters.problem !== undefined || filters.typed.q)
      return { kind: 'redirect', to: addressOf(view.world, filters.typed) }
    const day = new Intl.DateTimeFormat('en-CA', { timeZone }).format(ctx.clock.now())
    const { moved, ...wanted } = filters.wanted
    const zone = zones.length === 1 ? timeZone : null
    const rangeIn = (of: string) =>
      moved?.find((range) => range.zone === null || range.zone === of) ?? moved?.[0] ?? EVER
    const wish = { ...wanted, merchantId, zone, movedIn: moved ? rangeIn : undefined }
    async function* text() {
      for await (const part of exportFile(ctx, wish)) yield part.text
    }
    const name = `payments-${view.world}-${[day, zone]
      .filter((part) => part !== null)
      .join('-')
      .replaceAll('/', '-')}.csv`
    return { kind: 'file', name, type: 'text/csv; charset=utf-8', text: text() }
  },
}
