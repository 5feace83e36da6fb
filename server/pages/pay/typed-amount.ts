/**
 * Reads an amount as a person types it.
 * Rule: a text with two possible meanings is rejected. The meaning is never guessed.
 */
import { CURRENCIES } from '../../contract/currencies.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { parseAmount } from '../../payments/money.ts'

const TYPED_MAX_CHARS = 40

/**
 * Returns the amount in minor units, or null. The currency's sign and the spaces before groups of three digits are removed.
 * In a whole currency `1,500` and `1.500` can only mean 1500. In other currencies a comma or point before the last one or two
 * digits starts the decimals, and `1,500` is rejected, because it may mean 1500 or 1.50.
 */
export function readTypedAmount(text: string, currency: CurrencyCode): number | null {
  if (text.length > TYPED_MAX_CHARS) return null
  const bare = withoutSign(text.normalize('NFKC').trim(), currency).replaceAll(
    /(?<=\d)[\s'’](?=\d{3}(?!\d))/g,
    '',
  )
  const plain = CURRENCIES[currency].isWhole ? wholeUnits(bare) : withDecimals(bare)
  if (plain === null) return null
  try {
    return parseAmount(plain, currency)
  } catch {
    return null
  }
}

/** Another currency's sign is not removed, so the text is rejected. */
function withoutSign(text: string, currency: CurrencyCode): string {
  const sign = [currency, ...CURRENCIES[currency].signs].map(literally).join('|')
  return text.replace(new RegExp(`^(?:${sign})\\s*|\\s*(?:${sign})$`, 'iu'), '')
}

const literally = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

function wholeUnits(text: string): string | null {
  if (/^\d+$/.test(text)) return text
  return /^\d{1,3}(?:\.\d{3})+$|^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(/[.,]/g, '') : null
}

function withDecimals(text: string): string | null {
  const plain = /^(\d+)(?:[.,](\d{1,2}))?$/.exec(text)
  if (plain) return plain[2] === undefined ? (plain[1] ?? null) : `${plain[1]}.${plain[2]}`
  // Groups of three digits before the decimals, with a separator other than the decimal one.
  const grouped = /^(\d{1,3}(?:,\d{3})+)\.(\d{1,2})$|^(\d{1,3}(?:\.\d{3})+),(\d{1,2})$/.exec(text)
  if (!grouped) return null
  const [, points, cents, commas, tail] = grouped
  return `${(points ?? commas ?? '').replaceAll(/[.,]/g, '')}.${cents ?? tail}`
}
