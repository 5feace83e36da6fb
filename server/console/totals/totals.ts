/** The page of sums that were taken, returned and lost, by day or by month. It covers few days, to stay fast with many payments. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { addUp, dayAfter, getTotals, type OpenMoney, type Period, type Totals } from '../../reports/totals.ts'
import { isCalendarDay } from '../../written/time.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, choiceTags, wideScreen } from '../page-parts.ts'
import { addressWith, type FactLine, factList } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { shopOf, type View, viewOf } from '../world.ts'

/**
 * How many days or months before the last one a page shows. One month is enough, because all its entries are read: three months with a
 * million payments took PostgreSQL more than two seconds.
 */
const DAYS_BACK: Record<Period, number> = { day: 6, month: 0 }
const EARLIEST = '2000-01-01'

const allTotals: ConsolePage = {
  method: 'get',
  path: '/:world/totals',
  needs: 'payment history',
  isHeavy: true,
  async handle(visit) {
    const view = await viewOf(visit)
    const { world, merchantId } = view
    if (merchantId !== null) return { kind: 'redirect', to: `/${world}/shops/${merchantId}/totals` }
    // The days of each shop are in its own time zone. The page says so, and names no zone.
    delete visit.shown.timeZone
    return totalsScreen(visit, { ...view, path: `/${world}`, name: null })
  },
}

const shopTotals: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/totals',
  needs: 'payment history',
  isHeavy: true,
  async handle(visit) {
    const view = await shopOf(visit)
    return totalsScreen(visit, { ...view, name: view.merchant.name })
  },
}

/** `name`: of the one shop; null for all shops. */
type TotalsView = View & { path: string; name: string | null }

async function totalsScreen(visit: OwnVisit, view: TotalsView): Promise<Screen> {
  const { locale } = visit
  const { ctx, name, path } = view
  const { by, until, today } = readRange(visit, view)
  const since = dayAfter(until, -DAYS_BACK[by])
  const merchantId = view.merchantId ?? undefined
  const filter = { merchantId, accountId: undefined, currency: undefined }
  const found = await getTotals(ctx, { by, since, until, ...filter })
  const title = translate(locale, 'totalsTitle')
  const own = `${path}/totals`
  // A page of one month needs no parts: the sum is the month.
  const parts = by === 'month' ? [] : addUp(found.totals, { isByPeriod: true })
  const periods = Map.groupBy(parts, ({ period }) => period)
  const together = addUp(found.totals, { isByPeriod: false })
  const tags = (['day', 'month'] as const).map(
    (each) => [each, translate(locale, `totalsBy_${each}`)] as const,
  )
  const body = html`${name === null ? html`<p>${translate(locale, 'totalsOfAll')}</p>` : html`<p><bdi>${name}</bdi></p>`}
    ${choiceTags(tags, by, (each) => addressWith(own, { by: each }))}
    <h2>${daysText(found, locale)}</h2>
    ${together.length === 0 ? html`<p class="lead">${translate(locale, 'totalsNone')}</p>` : html`<div class="days">${sums(locale, together)}</div>`}
    ${otherDays(locale, own, { by, since: found.since, until: found.until, today })}
    <div class="days">
      ${[...periods].toReversed().map(
        ([period, totals]) => html`<section>
          <h3>${dayText(period, locale)}</h3>
          ${sums(locale, totals)}
        </section>`,
      )}
    </div>
    ${undecidedMoney(locale, found.open)}
    <p class="hint">${translate(locale, 'totalsRule')} ${name === null ? translate(locale, 'zonesOfShops') : null}</p>
    ${name === null ? null : backTo(path, name)}`
  return wideScreen({ title, body })
}

/** Returns today instead of a last day that is invalid, in the future or too long ago. */
function readRange({ query }: OwnVisit, { ctx, zones }: TotalsView) {
  const by: Period = query.by === 'month' ? 'month' : 'day'
  // With shops in several zones, today is the latest date among them.
  const [today = ''] = zones
    .map((zone) => dayOf(ctx.clock.now(), zone))
    .sort()
    .reverse()
  const { until = '' } = query
  const isPast = isCalendarDay(until) && until >= EARLIEST && until < today
  return { by, today, until: isPast ? until : today }
}

const dayOf = (at: Date, timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at)

function otherDays(
  locale: Locale,
  path: string,
  { by, since, until, today }: { by: Period; since: string; until: string; today: string },
): Markup {
  const link = (to: string, text: string) =>
    html`<a class="button quiet" href=${addressWith(path, { by, until: to })}>${text}</a>`
  return html`<p class="pair">
    ${since > EARLIEST ? link(dayAfter(since, -1), translate(locale, 'totalsEarlier')) : null}
    ${until < today ? link(dayAfter(until, DAYS_BACK[by] + 1), translate(locale, 'totalsLater')) : null}
  </p>`
}

/** Sums of zero are left out, except the sum that was taken. */
function sums(locale: Locale, totals: readonly Totals[]): Markup {
  return html`${totals.map((each) => factList(linesOf(locale, each)))}`
}

function linesOf(locale: Locale, each: Totals): FactLine[] {
  const sum = (minor: bigint) => formatAmount(minor, each.currency, locale)
  const some = (minor: bigint) => (minor === 0n ? null : sum(minor))
  const unknown = each.takenAttempts - each.takenAttemptsWithFee
  return [
    [translate(locale, 'taken'), sum(each.taken)],
    [translate(locale, 'takingsCount'), String(each.takenAttempts)],
    [translate(locale, 'returned'), some(each.givenBack)],
    [translate(locale, 'lostInDisputes'), some(each.lost)],
    [translate(locale, 'newlyDisputed'), some(each.disputed)],
    [translate(locale, 'held'), some(each.held)],
    [translate(locale, 'releasedSum'), some(each.released)],
    [translate(locale, 'fees'), each.takenAttemptsWithFee > 0 ? sum(each.fees) : null],
    [translate(locale, 'feesUnknown'), each.takenAttemptsWithFee > 0 && unknown > 0 ? String(unknown) : null],
    [translate(locale, 'entry_unmatched'), some(each.unmatched)],
    [translate(locale, 'entry_over_returned'), some(each.overReturned)],
  ]
}

/** What is held, under way or disputed now, whatever the days of the page. */
function undecidedMoney(locale: Locale, open: readonly OpenMoney[]): Markup {
  const byCurrency = Map.groupBy(open, ({ currency }) => currency)
  const lines = [...byCurrency].flatMap(([currency, all]) =>
    (['held', 'underWay', 'disputed'] as const).map((name) => openLine(locale, currency, name, all)),
  )
  if (lines.every(([, text]) => text === null)) return null
  return html`<h2>${translate(locale, 'openNow')}</h2>${factList(lines)}`
}

function openLine(
  locale: Locale,
  currency: CurrencyCode,
  name: 'held' | 'underWay' | 'disputed',
  all: readonly OpenMoney[],
): FactLine {
  const sum = all.reduce((total, each) => total + each[name], 0n)
  return [translate(locale, `open_${name}`), sum === 0n ? null : formatAmount(sum, currency, locale)]
}

const days = (locale: Locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })

function dayText(day: string, locale: Locale): string {
  return days(locale).format(Date.parse(day))
}

/** The month and the year are shown once if both days have the same. */
function daysText({ since, until }: { since: string; until: string }, locale: Locale): string {
  return days(locale).formatRange(Date.parse(since), Date.parse(until))
}

export const TOTALS_PAGES: readonly ConsolePage[] = [allTotals, shopTotals]
