import type { CurrencyCode } from '../../../contract/fields.ts'
import { decimalAmount, decimalsToRead } from '../../../payments/money.ts'

export const LOCALES = ['hy', 'ru', 'en'] as const
export type Locale = (typeof LOCALES)[number]

const FALLBACK: Locale = 'en'
const HEADER_MAX_CHARS = 1000
/** The server cannot know the buyer's zone, so the shop's is used and always named beside the time. A shop without one has this. */
const TIME_ZONE = 'Asia/Yerevan'

/** `asked`: the buyer's own choice, from the address or from the cookie. It wins over the browser's Accept-Language. */
export function negotiateLocale(acceptLanguage: string | undefined, asked?: string): Locale {
  const chosen = asked === undefined ? undefined : ourLocale(asked)
  if (chosen !== undefined) return chosen
  const wishes = (acceptLanguage ?? '').slice(0, HEADER_MAX_CHARS).split(',').map(parseWish)
  // The sort is stable: of two equal wishes the earlier one stays first, as the browser means it.
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

/** Amount in minor units to readable text. Intl formats decimal text exactly. */
export function formatAmount(amountMinor: number, currency: CurrencyCode, locale: Locale): string {
  const format = new Intl.NumberFormat(locale, {
    ...decimalsToRead(amountMinor, currency),
    style: 'currency',
    currency,
    // ֏ in all three languages: Intl's default is the letters AMD in Russian and English.
    currencyDisplay: 'narrowSymbol',
    // Armenian groups only from five digits by default; prices here are read with a space from four on.
    useGrouping: 'always',
  })
  return format.format(decimalAmount(amountMinor, currency))
}

/** ISO 8601 time to readable text with its time zone; undefined when it is not a time. */
export function formatMoment(
  iso: string,
  locale: Locale,
  { year = false, timeZone = TIME_ZONE }: { year?: boolean; timeZone?: string | undefined } = {},
): string | undefined {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return undefined
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    ...(year && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
    timeZoneName: 'short',
  })
  return unbroken(format.format(time))
}

/** A number keeps its word beside it: `5 minutes`, `4 марта`, `19:30 GMT+4`. */
export function unbroken(text: string): string {
  return text.replaceAll(/(?<=\d) (?=\p{L})/gu, '\u00a0')
}
