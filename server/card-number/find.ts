/**
 * Finds card numbers in text, in the spellings that people and programs use. A number counts only with a brand's prefix and length, a
 * right check digit, and the shape of a card number, because long numbers of other kinds are everywhere. The time is linear in the
 * length of the text.
 */
import { DIGITS_MAX, DIGITS_MIN, EXPIRY, EXPIRY_DIGITS, isCardNumber } from './brands.ts'
import { plainTexts } from './spelling.ts'

/** EAN-13 and the milliseconds since 1970 have as many digits as the oldest Visa cards. */
const OLD_VISA_DIGITS = 13
/** The digits of a date and time with milliseconds. A number of this length counts as an identifier, not as a card number. */
const NOT_IN_IDENTIFIERS = new Set([OLD_VISA_DIGITS, 17])

/** The sizes of the groups of a number that is written in groups: fours to the end, or as on the cards of Amex and Diners. */
const GROUPED = ['4441', '4442', '4443', '4444', '44441', '44442', '44443', '465', '464'].map((sizes) =>
  [...sizes].map(Number),
)
const GROUPS_MAX = 5
const FIRST_GROUP_DIGITS = 4

/** One blank, dash, dot, line break or invisible character. A form writes a blank as a plus. */
const SEPARATOR = /^(?:\r\n|[\s\p{Z}\p{Pd}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2212\u2800.·+])$/u
const LETTER = /\p{L}/u
/** The whole part of a decimal number, up to its point. */
const WHOLE_PART = /(?:^|[^\p{L}\d_.:-])-?\d{1,3}\.$/u
const WHOLE_PART_CHARS = 6

const CARD_WORD = /(?<!\p{L})(?:(?:credit|debit)?(?:card|pan|visa)(?:s|no|num|number)?(?!\p{L})|карт|քարտ)/iu
const BESIDE_CHARS = 24

/** A UUID with its version and variant, with or without dashes. It is the most common idempotency key. */
const UUID =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15})(?![0-9a-z])/gi

/** The lengths of account numbers (IBAN) by country, from the registry of ISO 13616. */
const IBAN_COUNTRIES: Record<number, string> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}
const IBAN_LEAD_CHARS = 4
const IBAN = new RegExp(
  `(?<![0-9a-z])(?:${Object.entries(IBAN_COUNTRIES)
    .map(
      ([chars, countries]) =>
        `(?:${countries.replaceAll(' ', '|')})\\d\\d(?: ?[0-9a-z]){${Number(chars) - IBAN_LEAD_CHARS}}`,
    )
    .join('|')})(?![0-9a-z])`,
  'gi',
)
/** Replaces UUIDs and account numbers in the text. It is neither a letter nor a separator. */
const OTHER = '|'

/** A run of digits in the text. */
type Group = { start: number; end: number }
/** Digits that may be one number, and their place in the text. */
type Candidate = Group & { digits: string }

/**
 * Returns the last four digits of a card number anywhere in the text, or null. `name`: the name of the field. 13 digits are a card
 * number only beside a word such as "card", which can also be the field's name.
 */
export function findCardNumber(text: string, name = ''): string | null {
  for (const plain of textsWithDigits(text)) {
    const rest = plain.replaceAll(UUID, OTHER).replaceAll(IBAN, OTHER)
    const groups = groupsOf(rest)
    for (let at = 0; at < groups.length; at++)
      for (const { digits, start, end } of candidatesAt(rest, groups, at)) {
        if (isBetweenLetters(rest, start, end)) continue
        const card = [digits, withoutExpiry(digits)].find(
          (each) =>
            isCardNumber(each) && (each.length !== OLD_VISA_DIGITS || isBesideWord(rest, start, end, name)),
        )
        if (card) return card.slice(-4)
      }
  }
  return null
}

/** Returns the last four digits if the text as a whole is a card number, else null. */
export function readCardNumber(text: string): string | null {
  for (const plain of textsWithDigits(text)) {
    const whole = plain.trim()
    const groups = groupsOf(whole)
    const card = candidatesAt(whole, groups, 0).find(
      ({ digits, start, end }) =>
        start === 0 && end === whole.length && !NOT_IN_IDENTIFIERS.has(digits.length) && isCardNumber(digits),
    )
    if (card) return card.digits.slice(-4)
  }
  return null
}

function textsWithDigits(text: string): string[] {
  return text.length < DIGITS_MIN ? [] : plainTexts(text).filter(hasEnoughDigits)
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
  for (const { 0: digits, index } of text.matchAll(/[0-9]+/g))
    groups.push({ start: index, end: index + digits.length })
  return groups
}

/** Returns the numbers that can start with this group: together, in groups, or one digit after the other. */
function candidatesAt(text: string, groups: readonly Group[], at: number): Candidate[] {
  const first = groups[at]
  const size = sizeOf(first)
  if (!first) return []
  if (size >= DIGITS_MIN) return isFraction(text, first) ? [] : [candidate(text, [first])]
  if (size === 1 && !(sizeOf(groups[at - 1]) === 1 && areJoined(text, groups[at - 1], first)))
    return [candidate(text, joinedFrom(text, groups, at, Number.POSITIVE_INFINITY, 1))]
  if (size !== FIRST_GROUP_DIGITS) return []
  const joined = joinedFrom(text, groups, at, GROUPS_MAX)
  return GROUPED.filter((sizes) => sizes.every((each, index) => sizeOf(joined[index]) === each)).map(
    (sizes) => candidate(text, joined.slice(0, sizes.length)),
  )
}

/** Returns this group and those that follow it after one separator each. `size`: the number of digits that each of them has. */
function joinedFrom(text: string, groups: readonly Group[], at: number, max: number, size?: number): Group[] {
  const joined: Group[] = []
  for (let index = at; index < groups.length && joined.length < max; index++) {
    const group = groups[index]
    if (!group || (size && sizeOf(group) !== size)) break
    if (joined.length > 0 && !areJoined(text, joined.at(-1), group)) break
    joined.push(group)
  }
  return joined
}

function candidate(text: string, groups: readonly Group[]): Candidate {
  const start = groups[0]?.start ?? 0
  const end = groups.at(-1)?.end ?? start
  return { start, end, digits: groups.map((group) => text.slice(group.start, group.end)).join('') }
}

const sizeOf = (group: Group | undefined) => (group ? group.end - group.start : 0)

function areJoined(text: string, before: Group | undefined, after: Group): boolean {
  if (!before || after.start - before.end > 2) return false
  return SEPARATOR.test(text.slice(before.end, after.start))
}

function isFraction(text: string, { start }: Group): boolean {
  return text[start - 1] === '.' && WHOLE_PART.test(text.slice(Math.max(0, start - WHOLE_PART_CHARS), start))
}

function isBetweenLetters(text: string, start: number, end: number): boolean {
  return LETTER.test(text[start - 1] ?? '') && LETTER.test(text[end] ?? '')
}

function withoutExpiry(digits: string): string {
  const isLong = digits.length > DIGITS_MIN && digits.length <= DIGITS_MAX + EXPIRY_DIGITS
  return isLong && EXPIRY.test(digits) ? digits.slice(0, -EXPIRY_DIGITS) : ''
}

function isBesideWord(text: string, start: number, end: number, name: string): boolean {
  const before = text.slice(Math.max(0, start - BESIDE_CHARS), start)
  return [name, before, text.slice(end, end + BESIDE_CHARS)].some((each) => CARD_WORD.test(each))
}
