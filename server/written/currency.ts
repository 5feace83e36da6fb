/** How people and banks write a currency beside an amount: a code of ISO 4217, a sign, or a short word. */
import { CURRENCIES, CURRENCY_CODES } from '../contract/currencies.ts'

const CODES = new Set(Intl.supportedValuesOf('currency'))

/** Currencies that are written with a dollar sign. Which one is meant, the text alone does not say. */
const DOLLARS = ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'ARS', 'CLP', 'COP', 'BRL', 'TWD']
/** Words in lower case, besides the signs in the table of our own currencies. */
const WORDS: Record<string, readonly string[]> = {
  $: DOLLARS,
  us$: ['USD'],
  c$: ['CAD'],
  ca$: ['CAD'],
  a$: ['AUD'],
  au$: ['AUD'],
  nz$: ['NZD'],
  hk$: ['HKD'],
  s$: ['SGD'],
  r$: ['BRL'],
  долл: ['USD'],
  долларов: ['USD'],
  dram: ['AMD'],
  драма: ['AMD'],
  драмов: ['AMD'],
  դրամ: ['AMD'],
  euro: ['EUR'],
  евро: ['EUR'],
  եվրո: ['EUR'],
  '£': ['GBP', 'EGP'],
  '¥': ['JPY', 'CNY'],
  '₽': ['RUB'],
  // The code of the rouble before 1998, which some banks still write.
  rur: ['RUB'],
  р: ['RUB', 'BYN'],
  руб: ['RUB', 'BYN'],
  рублей: ['RUB', 'BYN'],
  '₾': ['GEL'],
  '₸': ['KZT'],
  тг: ['KZT'],
  '₴': ['UAH'],
  грн: ['UAH'],
  '₺': ['TRY'],
  tl: ['TRY'],
  '₹': ['INR'],
  rs: ['INR', 'PKR', 'LKR'],
  '₪': ['ILS'],
  '₩': ['KRW'],
  zł: ['PLN'],
  kč: ['CZK'],
  ft: ['HUF'],
  fr: ['CHF'],
  sfr: ['CHF'],
  kr: ['SEK', 'NOK', 'DKK', 'ISK'],
  lei: ['RON', 'MDL'],
  лв: ['BGN'],
}
for (const [code, { signs }] of Object.entries(CURRENCIES))
  for (const sign of signs) WORDS[withoutDot(sign)] ??= [code]

/** Returns the currencies that a text may name, such as `€`, `usd` or `руб.`; nothing if it names none. */
export function currenciesNamed(text: string): readonly string[] {
  const word = withoutDot(text)
  const own = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
  const code = word.toUpperCase()
  return own ?? (CODES.has(code) && word.length === 3 ? [code] : [])
}

/** Returns the currency that a sign means: the only one of these, or the only one that the service knows. */
export function onlyCurrency(codes: readonly string[]): string | undefined {
  const own = codes.filter((code) => (CURRENCY_CODES as string[]).includes(code))
  return codes.length === 1 ? codes[0] : own.length === 1 ? own[0] : undefined
}

function withoutDot(text: string): string {
  return text.toLowerCase().replace(/\.$/, '')
}
