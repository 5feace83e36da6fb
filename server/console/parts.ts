/** Parts that screens of several families have. */
import type { CurrencyCode } from '../contract/fields.ts'
import { html, type Markup } from '../pages/html.ts'
import { formatAmount, formatMoment, type Locale } from '../pages/words/locale.ts'
import { translate } from './words/translate.ts'

export type FactLine = readonly [name: string, text: string | Markup | null | undefined]

/** Leaves out what is not known. */
export function factList(lines: readonly FactLine[]): Markup {
  const known = lines.filter(([, text]) => text !== null && text !== undefined && text !== '')
  return html`<dl class="facts">
    ${known.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}
  </dl>`
}

/** A time as text, with the year; null for none. The foot of the page names the zone. */
export function momentText(at: Date | string | null, locale: Locale, timeZone: string): string | null {
  if (at === null) return null
  const iso = typeof at === 'string' ? at : at.toISOString()
  return formatMoment(iso, locale, { year: true, timeZone, isZoneKnown: true }) ?? null
}

export function sumText(
  amountMinor: number | null,
  currency: CurrencyCode | null,
  locale: Locale,
): string | null {
  return amountMinor === null || currency === null ? null : formatAmount(amountMinor, currency, locale)
}

/** A sum of a statement, which may be in a currency that the service does not know. */
export const statedText = (amountMinor: number, currency: string, locale: Locale): string =>
  formatAmount(amountMinor, currency as CurrencyCode, locale)

/** For how long something waits, in its largest unit. */
export function ageText(seconds: number, locale: Locale): string {
  const [unit, size] =
    seconds >= 86_400
      ? (['day', 86_400] as const)
      : seconds >= 3_600
        ? (['hour', 3_600] as const)
        : (['minute', 60] as const)
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.max(1, Math.floor(seconds / size)))
}

export const secondsText = (seconds: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: 'second' }).format(seconds)

/** The way to the next page of a list; nothing on the last one. */
export function moreLink(locale: Locale, href: string | null): Markup {
  return href === null
    ? null
    : html`<p><a class="button quiet" href=${href}>${translate(locale, 'moreOfList')}</a></p>`
}

/** The address with these queries. What is undefined or empty is left out. */
export function addressWith(path: string, query: Record<string, string | null | undefined>): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return entries.length > 0 ? `${path}?${new URLSearchParams(entries)}` : path
}

/** Limits of several currencies in a sentence. */
export const limitsText = (
  locale: Locale,
  limits: readonly { currency: CurrencyCode; limitMinor: number }[],
): string => limits.map(({ currency, limitMinor }) => formatAmount(limitMinor, currency, locale)).join(', ')
