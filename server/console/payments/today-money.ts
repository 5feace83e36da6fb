/** The money of today beside earlier days, and its course over two weeks. Every sum is one of entries, in the shop's zone. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { type DayMoney, type MoneyOfDay, moneyOfLastDays } from '../../reports/money-days.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'
import { addressOf } from './filters.ts'

/** Two weeks, so that the same weekday stands twice. */
const DAYS = 14
const WEEK = 7

type LastDays = { days: string[]; sums: MoneyOfDay[] }
/** `before`: null where it is not shown: for all shops at once, for a shop with too many movements, and to a person of today alone. */
export type TodayMoney = { today: DayMoney[]; before: LastDays | null }

export async function moneyBefore({ ctx, merchantId, timeZone }: View): Promise<LastDays | null> {
  return merchantId === null ? null : moneyOfLastDays(ctx, { merchantId, timeZone }, DAYS)
}

const leftOf = ({ taken, givenBack, lost }: Omit<DayMoney, 'currency'>): bigint => taken - givenBack - lost
const NOTHING = { taken: 0n, givenBack: 0n, lost: 0n }

type Figure = {
  name: 'taken' | 'givenBack' | 'lost' | 'left'
  sumOf(money: Omit<DayMoney, 'currency'>): bigint
}
const FIGURES: readonly Figure[] = [
  { name: 'taken', sumOf: ({ taken }) => taken },
  { name: 'givenBack', sumOf: ({ givenBack }) => givenBack },
  { name: 'lost', sumOf: ({ lost }) => lost },
  { name: 'left', sumOf: leftOf },
]

/** What was taken, given back and is left of each currency that moved in two weeks. */
export function moneyFigures(locale: Locale, { world }: View, { today, before }: TodayMoney): Markup {
  const currencies = [...new Set([...today, ...(before?.sums ?? [])].map(({ currency }) => currency))]
  if (currencies.length === 0) return null
  const [yesterday, sameWeekday] = [2, WEEK + 1].map((ago) => before?.days.at(-ago))
  const moneyOf = (currency: CurrencyCode, day: string | undefined) =>
    before?.sums.find((each) => each.day === day && each.currency === currency) ?? NOTHING
  const card = (currency: CurrencyCode, { name, sumOf }: Figure) => {
    const sum = (money: Omit<DayMoney, 'currency'>) => formatAmount(sumOf(money), currency, locale)
    const now = today.find((each) => each.currency === currency) ?? NOTHING
    const earlier = [moneyOf(currency, yesterday), moneyOf(currency, sameWeekday)] as const
    // Most shops lose nothing in disputes. The others always have something to give back, or may have.
    if (name === 'lost' && ![now, ...earlier].some(({ lost }) => lost !== 0n)) return null
    return html`<li>
      <a href=${addressOf(world, { day: 'today', of: 'moved' })} class="figure" data-money=${name}>
        <span>${translate(locale, `today_${name}`)}</span>
        <strong class="sum">${sum(now)}</strong>
        ${before === null ? null : html`<small>${translate(locale, 'todayBeside', { yesterday: sum(earlier[0]), week: sum(earlier[1]), weekday: weekdayOf(locale, sameWeekday) })}</small>`}
      </a>
    </li>`
  }
  return html`<h2>${translate(locale, 'todayMoney')}</h2>
    ${currencies.map((currency) => html`<ul class="figures" data-currency=${currency}>${FIGURES.map((figure) => card(currency, figure))}</ul>`)}`
}

const dayText = (locale: Locale, day: string, format: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale, { ...format, timeZone: 'UTC' }).format(new Date(day))

const weekdayOf = (locale: Locale, day: string | undefined): string =>
  day === undefined ? '' : dayText(locale, day, { weekday: 'long' })

const CHART = { bar: 20, gap: 6, height: 72 } as const

/** What is left of each of the days, as bars and as a table. Only of the currency that moved most often. */
export function moneyTrend(locale: Locale, { before }: TodayMoney): Markup {
  if (before === null) return null
  const currency = mostUsed(before.sums)
  if (currency === undefined) return null
  const lefts = before.days.map((day) => {
    const money = before.sums.find((each) => each.day === day && each.currency === currency)
    return { day, left: money ? leftOf(money) : 0n }
  })
  // One day alone has no course.
  if (lefts.filter(({ left }) => left !== 0n).length < 2) return null
  const sum = (minor: bigint) => formatAmount(minor, currency, locale)
  const short = (day: string) => dayText(locale, day, { day: 'numeric', month: 'short' })
  return html`<h2>${translate(locale, 'trendTitle', { days: DAYS })}</h2>
    <figure class="trend">
      ${barsOf(
        lefts.map(({ left }) => Number(left)),
        translate(locale, 'trendTitle', { days: DAYS }),
      )}
      <p class="ends"><span>${short(lefts[0]?.day ?? '')}</span><span>${translate(locale, 'todayTitle')}</span></p>
      <details>
        <summary>${translate(locale, 'trendTable')}</summary>
        <table>
          <thead><tr><th scope="col">${translate(locale, 'day')}</th><th scope="col">${translate(locale, 'today_left')}</th></tr></thead>
          <tbody>
            ${lefts.toReversed().map(({ day, left }) => html`<tr><th scope="row">${dayText(locale, day, { weekday: 'short', day: 'numeric', month: 'short' })}</th><td>${sum(left)}</td></tr>`)}
          </tbody>
        </table>
      </details>
    </figure>`
}

function mostUsed(sums: readonly MoneyOfDay[]): CurrencyCode | undefined {
  const days = Map.groupBy(sums, ({ currency }) => currency)
  return [...days].sort(([, one], [, other]) => other.length - one.length)[0]?.[0]
}

/** A day on which more went back than came in has its bar below the line. */
function barsOf(values: readonly number[], label: string): Markup {
  const { bar, gap, height } = CHART
  const top = Math.max(0, ...values)
  const bottom = Math.min(0, ...values)
  const heightOf = (value: number) => (Math.abs(value) / (top - bottom)) * height
  const line = heightOf(top)
  const width = values.length * (bar + gap) - gap
  return html`<svg viewBox=${`0 0 ${width} ${height + 2}`} role="img" aria-label=${label} preserveAspectRatio="none">
    ${values.map((value, at) => {
      const tall = heightOf(value)
      return html`<rect x=${at * (bar + gap)} y=${value < 0 ? line : line - tall} width=${bar} height=${tall} data-sign=${value < 0 ? 'minus' : undefined} />`
    })}
    <path d=${`M0 ${line + 1}H${width}`} />
  </svg>`
}
