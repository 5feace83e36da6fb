import type { CurrencyCode } from '../../contract/fields.ts'
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { TIME_ZONE } from '../../contract/time-zone.ts'
import { decimalAmount, decimalsToRead } from '../../payments/money.ts'

export type Locale = Language
export const LOCALES = Object.keys(LANGUAGES) as Locale[]

const FALLBACK: Locale = 'en'
const HEADER_MAX_CHARS = 1000
/** `ownChoice`: the buyer's own choice, from the address or the cookie. It takes precedence over the browser's Accept-Language. */
export function negotiateLocale(acceptLanguage: string | undefined, ownChoice?: string): Locale {
  const chosen = ownChoice === undefined ? undefined : ourLocale(ownChoice)
  if (chosen !== undefined) return chosen
  const wishes = (acceptLanguage ?? '').slice(0, HEADER_MAX_CHARS).split(',').map(parseWish)
  // The sort is stable: if two languages have the same weight, the first one in the header wins.
  const byWeight = wishes.filter((wish) => wish.weight > 0).sort((a, b) => b.weight - a.weight)
  for (const wish of byWeight) {
    const locale = ourLocale(wish.tag)
    if (locale !== undefined) return locale
  }
  return FALLBACK
}

function parseWish(text: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice(2))
  return { tag, weight: Number.isFinite(weight) ? weight : 0 }
}

function ourLocale(tag: string): Locale | undefined {
  const language = tag.trim().toLowerCase().split(/[-_]/)[0]
  return LOCALES.find((locale) => locale === language)
}

/** Creating a format takes ten times as long as using it. There are as many as locales, currencies and numbers of decimals. */
const amountFormats = new Map<string, Intl.NumberFormat>()

/** Returns an amount in minor units as text. Intl formats decimal text exactly. A sum may be larger than a number can hold. */
export function formatAmount(amountMinor: number | bigint, currency: CurrencyCode, locale: Locale): string {
  const decimals = decimalsToRead(amountMinor, currency)
  const key = JSON.stringify([locale, currency, decimals])
  const format = amountFormats.get(key) ?? createAmountFormat(locale, currency, decimals)
  amountFormats.set(key, format)
  return format.format(decimalAmount(amountMinor, currency))
}

function createAmountFormat(
  locale: Locale,
  currency: CurrencyCode,
  decimals: Intl.NumberFormatOptions,
): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    ...decimals,
    style: 'currency',
    currency,
    // All languages use ֏. Intl's default in Russian and English is the letters AMD.
    currencyDisplay: 'narrowSymbol',
    // By default Armenian groups only numbers of five digits and more. Here prices of four digits are grouped too.
    useGrouping: 'always',
  })
}

/** `isZoneKnown`: the page says once in which zone its times are. `hasDay`: false where the reader knows the day. */
type MomentParts = {
  year?: boolean
  timeZone?: string | undefined
  isZoneKnown?: boolean
  hasDay?: boolean
}

/** Returns an ISO 8601 time as text with its time zone, or undefined if it is not a time. */
export function formatMoment(
  iso: string,
  locale: Locale,
  // The server does not know the buyer's time zone, so it uses the shop's and shows its name beside the time.
  { year = false, timeZone = TIME_ZONE, isZoneKnown = false, hasDay = true }: MomentParts = {},
): string | undefined {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return undefined
  const format = new Intl.DateTimeFormat(locale, {
    ...(hasDay && { day: 'numeric', month: 'long' }),
    ...(year && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
    ...(!isZoneKnown && { timeZoneName: 'short' }),
  })
  return unbroken(format.format(time))
}

/** A word or phrase as it begins a line or a sentence. */
export const capitalized = (text: string, locale: Locale): string =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)

/** Keeps a number and its word on one line: `5 minutes`, `4 марта`, `19:30 GMT+4`. */
export function unbroken(text: string): string {
  return text.replaceAll(/(?<=\d) (?=\p{L})/gu, '\u00a0')
}
