/**
 * Finds card numbers in text, in any spelling. There are two measures, because a tenth of all digit strings pass the Luhn test by
 * chance. `loose` finds any run of 13 to 19 digits that passes. `branded` also requires a card brand's prefix and length. The time
 * is linear in the length of the text.
 */

export type Measure = 'loose' | 'branded'

const DIGITS_MIN = 13
const DIGITS_MAX = 19
/** A telephone number (E.164) has at most 15 digits. Most card numbers have more. */
const PHONE_DIGITS_MAX = 15
const MILLISECOND_DIGITS = 13

/** The first and last prefix of a brand, and the lengths of its numbers. */
const BRANDS: readonly (readonly [first: string, last: string, lengths: readonly number[]])[] = [
  ['4', '4', [13, 16, 19]], // Visa
  ['51', '55', [16]], // Mastercard
  ['2221', '2720', [16]], // Mastercard, the 2-series
  ['34', '34', [15]], // American Express
  ['37', '37', [15]],
  ['300', '305', [14, 16, 19]], // Diners Club
  ['3095', '3095', [14, 16, 19]],
  ['36', '36', [14, 16, 19]],
  ['38', '39', [14, 16, 19]],
  ['6011', '6011', [16, 19]], // Discover
  ['644', '659', [16, 19]],
  ['3528', '3589', [16, 17, 18, 19]], // JCB
  ['62', '62', [16, 17, 18, 19]], // UnionPay
  ['81', '81', [16, 17, 18, 19]],
  ['50', '50', [13, 14, 15, 16, 17, 18, 19]], // Maestro
  ['56', '58', [13, 14, 15, 16, 17, 18, 19]],
  ['60', '69', [13, 14, 15, 16, 17, 18, 19]],
  ['2200', '2204', [16, 17, 18, 19]], // Mir
  ['9051', '9051', [16]], // ArCa
]

const LEAD_DIGITS = 4
/**
 * For each possible four leading digits, the lengths of its cards, one bit each. It is the table above in a form that is fast
 * to look up.
 */
const LENGTHS_BY_LEAD = new Uint32Array(10 ** LEAD_DIGITS)
for (const [first, last, lengths] of BRANDS)
  for (
    let lead = Number(first.padEnd(LEAD_DIGITS, '0'));
    lead <= Number(last.padEnd(LEAD_DIGITS, '9'));
    lead++
  )
    for (const length of lengths) LENGTHS_BY_LEAD[lead] = (LENGTHS_BY_LEAD[lead] ?? 0) | (1 << length)

/** The characters that people and programs put between the digits of one number: blanks, dashes, dots, invisible characters. */
const JOINS = /^[\s\p{Z}\p{Pd}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2212\u2800.·_]+$/u
/** Characters that are sometimes between the parts of one number, but much more often between different numbers. */
const PERHAPS_JOINS = /^[\s\p{P}\p{S}\p{Z}\p{Cf}]{1,4}$/u
const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** The decimal digits of every script. NFKC turns only some of them into ASCII. */
const DIGIT = /\p{Nd}/u
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu
/**
 * A UUID with its version and variant. It is the most common idempotency key, and one in 700 contains such a run of digits by
 * chance.
 */
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/gi
/** An id of ours. By chance it can consist mostly of digits. */
const OWN_ID = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{20,26}$/

/**
 * A time of RFC 3339 in this century. Times with microseconds or nanoseconds can contain a card number by chance: at some hours of
 * the day one in ten does. No brand's numbers start with 20.
 */
const TIME = /^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d(?:\.\d{1,9})?(?:Z|[+-][0-2]\d:[0-5]\d)$/i

/** 13 to 19 digits, with at most one blank, dash or dot between two. */
const WRITTEN_NUMBER = /(?<!\d)\d(?:[\s\p{Z}\p{Pd}._]?\d){12,18}(?!\d)/gu

/** A run of digits. `phone`: there is a plus before it. `gap`: the text between this run and the previous one. */
type Group = { digits: string; gap: 'start' | 'joins' | 'perhaps' | 'parts'; phone: boolean }

export function holdsCardNumber(text: string, measure: Measure): boolean {
  if (text.length < DIGITS_MIN || OWN_ID.test(text) || TIME.test(text)) return false
  const plain = fold(text)
  if (!hasEnoughDigits(plain)) return false
  const groups = groupsOf(plain)
  return (
    (measure === 'loose' && chainsOf(groups).some(isLooseHit)) ||
    groups.some((_, at) => startsCard(groups, at))
  )
}

/** Returns the text with plain digits: without combining marks, and with the digits of every script as ASCII. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.replace(UUID, 'uuid')
  // The marks are removed first, because the time to normalize a long run of them grows with the square of its length.
  const plain = text.replace(MARKS, '').normalize('NFKC').replace(MARKS, '')
  return plain.replace(OTHER_DIGITS, asciiDigit).replace(UUID, 'uuid')
}

/** In Unicode the digits of a script are ten consecutive code points, starting with its zero. Such rows may be adjacent. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}

function hasEnoughDigits(text: string): boolean {
  let count = 0
  for (let index = 0; index < text.length && count < DIGITS_MIN; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) count++
  }
  return count === DIGITS_MIN
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = []
  let end = 0
  for (const { 0: digits, index } of text.matchAll(/[0-9]+/g)) {
    const between = text.slice(end, index)
    const gap = groups.length === 0 ? 'start' : gapOf(between)
    groups.push({ digits, gap, phone: between.endsWith('+') })
    end = index + digits.length
  }
  return groups
}

function gapOf(between: string): Group['gap'] {
  if (between === ' ' || between === '-') return 'joins'
  if (JOINS.test(between)) return 'joins'
  return PERHAPS_JOINS.test(between) ? 'perhaps' : 'parts'
}

/** Groups of digits that certainly belong together. */
function chainsOf(groups: Group[]): Group[][] {
  const chains: Group[][] = []
  for (const group of groups) {
    if (group.gap === 'joins') chains.at(-1)?.push(group)
    else chains.push([group])
  }
  return chains
}

function isLooseHit(chain: Group[]): boolean {
  const digits = chain.map((group) => group.digits).join('')
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return false
  if (chain[0]?.phone && digits.length <= PHONE_DIGITS_MAX) return false
  // Milliseconds since 1970, from 2001 to 2033. No card number of that length starts with a 1.
  const isTime = chain.length === 1 && digits.length === MILLISECOND_DIGITS && digits.startsWith('1')
  return !isTime && passesLuhn(digits)
}

/** Returns whether a card of some brand starts with this group and ends with a whole group, also among other numbers. */
function startsCard(groups: Group[], at: number): boolean {
  const first = groups[at]
  if (!first) return false
  let digits = ''
  for (let index = at; index < groups.length && digits.length < DIGITS_MAX; index++) {
    const group = groups[index]
    if (!group || (index > at && group.gap === 'parts')) return false
    digits += group.digits
    if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) continue
    if (first.phone && digits.length <= PHONE_DIGITS_MAX) continue
    if (isBranded(digits) && passesLuhn(digits)) return true
  }
  return false
}

function isBranded(digits: string): boolean {
  const lengths = LENGTHS_BY_LEAD[Number(digits.slice(0, LEAD_DIGITS))] ?? 0
  return ((lengths >> digits.length) & 1) === 1
}

/** Returns the text without anything that looks like a brand's card number. Every log line passes through this. */
export function maskCardNumbers(text: string): string {
  return text.replaceAll(WRITTEN_NUMBER, (written) => {
    const digits = written.replaceAll(/\D/g, '')
    return isBranded(digits) && passesLuhn(digits) ? '[card number]' : written
  })
}

/** The check digit of ISO/IEC 7812. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
