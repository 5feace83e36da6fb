/**
 * Reads an amount as people and banks write it: `1.250,00 €`, `-$12.50`, `(5.00)`, `12,50-`, `12.50 DR`.
 * Rule: never another number than the writer meant. A text that can be read as two numbers is ambiguous, and the caller asks.
 */
import { currenciesNamed } from './currency.ts'

export type DecimalSign = '.' | ','
/**
 * `minor`: in minor units, and negative behind a minus, in brackets, or with a word for a debit.
 * `currencies`: the codes that a sign or a word beside the number may mean. Empty if the text has none.
 * `mark`: a sign, brackets, or a word for debit or credit. Null if nothing says a direction.
 */
type Beside = { currencies: readonly string[]; mark: Mark | null }
export type Mark = '-' | '+'
export type AmountRead =
  | ({ is: 'amount'; minor: number } & Beside)
  /** The same digits as two numbers: with a point before the decimals, and with a comma. */
  | ({ is: 'ambiguous'; byPoint: number; byComma: number } & Beside)
  | { is: 'unreadable' }

const UNREADABLE = { is: 'unreadable' } as const
const TEXT_CHARS_MAX = 64
/** In minor units. It is far above each amount that a payment may have, and exact in a number. */
const MINOR_MAX = 1e15

/** Marks of writing direction and of encoding. They are invisible and mean nothing here. */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
/** Hyphens, dashes and minus signs, as keyboards and programs write them. */
const DASHES = '-‐‑‒–—−﹣－'
const SIGNS: Record<string, Mark> = {
  ...Object.fromEntries([...DASHES].map((each) => [each, '-'])),
  '+': '+',
  dr: '-',
  cr: '+',
}
/** Letters and words for debit and credit stand behind the number: Soll and Haben of German statements, too. */
const LETTERS_BEHIND: Record<string, Mark> = {
  d: '-',
  db: '-',
  s: '-',
  дт: '-',
  debit: '-',
  soll: '-',
  дебет: '-',
  c: '+',
  h: '+',
  кт: '+',
  credit: '+',
  haben: '+',
  кредит: '+',
}
const MARK = String.raw`[${DASHES}]|\+`
const WORD = String.raw`\p{L}{0,3}\$|\p{Sc}|\p{L}{1,8}`
// "kr.50" may be half a crown or fifty, so a word before a number takes its point only with a blank behind it.
const HEAD = new RegExp(
  String.raw`^(${MARK}|\p{L}{0,3}\$|\p{Sc}|\p{L}{1,8}(?:\.(?=\s)|(?![\p{L}.])))\s*`,
  'u',
)
const TAIL = new RegExp(String.raw`\s*(${MARK}|(?<!\p{L})(?:${WORD})\.?)$`, 'u')
const BRACKETS = /^\(\s*(.*?)\s*\)$/u
/** `12,-` and `12.--`: no cents. */
const NO_CENTS = new RegExp(`(?<=[.,])[${DASHES}]{1,2}$`, 'u')

/** What nearly all amounts of a file look like. It is read without the rest, which costs ten times as much. */
const PLAIN = /^(-?)(\d{1,12})(?:([.,])(\d\d?))?$/

/** `digits`: the decimals of the currency. `decimalSign`: the sign before the decimals, where it is known. */
export function readAmount(
  text: string,
  { digits, decimalSign }: { digits: number; decimalSign?: DecimalSign },
): AmountRead {
  const plain = digits === 2 ? PLAIN.exec(text) : null
  if (plain && (decimalSign === undefined || plain[3] === undefined || plain[3] === decimalSign)) {
    const minor = Number(`${plain[2]}${(plain[4] ?? '').padEnd(2, '0')}`)
    return plain[1] === '-'
      ? { is: 'amount', minor: 0 - minor, currencies: [], mark: '-' }
      : { is: 'amount', minor, currencies: [], mark: null }
  }
  const parts = text.length > TEXT_CHARS_MAX ? null : takeApart(text.replaceAll(INVISIBLE, '').trim())
  if (!parts) return UNREADABLE
  const { number, ...beside } = parts
  const signed = (minor: number) => (beside.mark === '-' ? 0 - minor : minor)
  const [point, comma] = [readWith('.', number, digits), readWith(',', number, digits)]
  const both = { byPoint: signed(point?.minor ?? 0), byComma: signed(comma?.minor ?? 0) }
  const known = decimalSign === undefined ? (point ?? comma) : decimalSign === '.' ? point : comma
  if (!known) return UNREADABLE
  const isOneNumber = !point || !comma || point.minor === comma.minor
  if (decimalSign === undefined ? !isOneNumber && digits > 0 : known.mayBeThousands)
    return { is: 'ambiguous', ...both, ...beside }
  if (decimalSign !== undefined || isOneNumber) return { is: 'amount', minor: signed(known.minor), ...beside }
  // Nobody writes "1,000" for one unit of a currency that has no decimals.
  return { is: 'amount', minor: signed(Math.max(point.minor, comma.minor)), ...beside }
}

type Parts = Beside & { number: string }

/** Takes signs, brackets and currencies from around the number. Returns null for anything that is not a single amount. */
function takeApart(text: string): Parts | null {
  const signs: Mark[] = []
  const named: (readonly string[])[] = []
  const isKnown = (word: string, letters: Record<string, Mark>): boolean => {
    const plain = word.toLowerCase().replace(/\.$/, '')
    const sign = SIGNS[plain] ?? letters[plain]
    if (sign) return signs.push(sign) > 0
    const currencies = currenciesNamed(word)
    named.push(currencies)
    return currencies.length > 0
  }
  let rest = text
  for (let before = ''; before !== rest; ) {
    before = rest
    const [head = '', first = ''] = HEAD.exec(rest) ?? []
    if (head !== '' && !isKnown(first, {})) return null
    rest = rest.slice(head.length)
    const inner = BRACKETS.exec(rest)?.[1]
    if (inner !== undefined) {
      signs.push('-')
      rest = inner
    }
    const tail = NO_CENTS.test(rest) ? null : TAIL.exec(rest)
    if (tail && !isKnown(tail[1] ?? '', LETTERS_BEHIND)) return null
    rest = rest.slice(0, tail?.index)
  }
  const [first = [], ...others] = named
  const currencies = first.filter((code) => others.every((each) => each.includes(code)))
  if (signs.length > 1 || (named.length > 0 && currencies.length === 0)) return null
  return { number: rest.replace(NO_CENTS, ''), mark: signs[0] ?? null, currencies }
}

/** `mayBeThousands`: the three digits behind the sign are decimals that nobody needs, or thousands. */
type Reading = { minor: number; mayBeThousands: boolean }

/** Returns null if the text is no number with this sign before the decimals. */
function readWith(sign: DecimalSign, number: string, digits: number): Reading | null {
  const parts = number.replaceAll(/\s/g, ' ').replaceAll(/[’ʼ]/g, "'").split(sign)
  const [whole = '', decimals = ''] = parts
  if (parts.length > 2 || !/^\d*$/.test(decimals) || whole + decimals === '') return null
  const units = whole === '' ? '0' : ungroup(whole)
  if (units === null || /[1-9]/.test(decimals.slice(digits))) return null
  const minor = Number(units + decimals.slice(0, digits).padEnd(digits, '0'))
  if (minor > MINOR_MAX) return null
  const mayBeThousands = decimals.length === 3 && digits !== 3 && /^[1-9]\d{0,2}$/.test(whole)
  return { minor, mayBeThousands }
}

/** Returns the digits of a whole number, which may stand in groups of three, or in India of two and a last one of three. */
function ungroup(text: string): string | null {
  if (/^\d+$/.test(text)) return text
  const [sign = '', ...others] = new Set(text.replaceAll(/\d/g, ''))
  if (others.length > 0 || !".,' ".includes(sign)) return null
  const groups = text.split(sign)
  const isThrees = /^[1-9]\d{0,2}$/.test(groups[0] ?? '') && groups.slice(1).every(hasThree)
  const isIndian =
    /^[1-9]\d?$/.test(groups[0] ?? '') && hasThree(groups.at(-1) ?? '') && groups.slice(1, -1).every(hasTwo)
  return isThrees || (sign === ',' && isIndian) ? groups.join('') : null
}
const hasThree = (group: string) => group.length === 3
const hasTwo = (group: string) => group.length === 2
