/** Makes card numbers that no bank issued: the prefix of a brand, digits, and a correct check digit. */
import type { Random } from '../random.ts'

/** A prefix and a length for each brand. */
export const BRAND_PREFIXES: readonly (readonly [string, number])[] = [
  ...([
    ['4', 16],
    ['4', 19],
    ['51', 16],
    ['55', 16],
    ['2221', 16],
    ['2720', 16],
  ] as const),
  ...([
    ['34', 15],
    ['37', 15],
    ['36', 14],
    ['305', 14],
    ['6011', 16],
    ['65', 16],
    ['3530', 16],
  ] as const),
  ...([
    ['62', 16],
    ['62', 19],
    ['5018', 15],
    ['6759', 18],
    ['2200', 16],
    ['2204', 16],
    ['9051', 16],
  ] as const),
]

/** `variant`: selects the digits between prefix and check digit. */
export function cardNumber(prefix: string, length: number, variant: number): string {
  let body = prefix
  for (let index = 0; body.length < length - 1; index++) body += String((variant * 7 + index * 3 + 5) % 10)
  return withCheckDigit(body)
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
/** The prefixes and the lengths of each brand that is sold today. */
const BRANDS: Record<string, readonly [prefixes: readonly string[], lengths: readonly number[]]> = {
  Visa: [['4'], [16, 19]],
  Mastercard: [[...range(51, 55), ...range(2221, 2720)], [16]],
  Amex: [['34', '37'], [15]],
  Mir: [range(2200, 2204), [16, 19]],
  UnionPay: [['62'], [16, 17, 18, 19]],
  JCB: [range(3528, 3589), [16]],
  Diners: [['36', '38', '39', '3095', ...range(300, 305)], [14]],
  Discover: [['6011', '65', ...range(644, 649)], [16]],
  Maestro: [
    ['5018', '5020', '5038', '5893', '6304', '6759', '6761', '6762', '6763'],
    [14, 15, 16, 18, 19],
  ],
  ArCa: [['9051'], [16]],
}

/** Returns a number of each brand in turn. `lengths`: only numbers of these lengths. */
export function randomCardNumber(
  random: Random,
  lengths: readonly number[] = [14, 15, 16, 17, 18, 19],
): string {
  const brands = Object.values(BRANDS).filter(([, ofBrand]) => ofBrand.some((each) => lengths.includes(each)))
  const [prefixes, ofBrand] = pick(random, brands)
  let body = pick(random, prefixes)
  const length = pick(
    random,
    ofBrand.filter((each) => lengths.includes(each)),
  )
  while (body.length < length - 1) body += String(random(0, 10))
  return withCheckDigit(body)
}

const pick = <Item>(random: Random, items: readonly Item[]) => items[random(0, items.length)] as Item

function withCheckDigit(body: string): string {
  const sum = [...body].reverse().reduce((total, char, index) => {
    const value = Number(char) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return body + String((10 - (sum % 10)) % 10)
}

const inFours = (join: string) => (number: string) => number.match(/.{1,4}/g)?.join(join) ?? ''
/** `sizes`: of the groups, from the first one. */
const inGroups = (sizes: readonly number[], join: string) => (number: string) => {
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0))
  return starts.map((start, index) => number.slice(start, start + (sizes[index] ?? 0))).join(join)
}

/** Returns the digits of a script. `zero`: its digit zero. */
function inDigitsFrom(zero: number) {
  return (number: string) => number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
}

/** The ways in which people and programs write a card number of any brand and nothing else. */
export const WHOLE_SPELLINGS: Record<string, (number: string) => string> = {
  'as it is': (number) => number,
  'in fours': inFours(' '),
  'with dashes': inFours('-'),
  'with dots': inFours('.'),
  'with no-break spaces': inFours('\u00a0'),
  'with thin spaces': inFours('\u2009'),
  'with narrow spaces': inFours('\u202f'),
  'with en dashes': inFours('\u2013'),
  'with invisible characters': inFours('\u200b'),
  'over several lines': inFours('\n'),
  'over several lines of Windows': inFours('\r\n'),
  'digit by digit': (number) => [...number].join(' '),
  'in full-width digits': inDigitsFrom(0xff10),
  'in Arabic digits': inDigitsFrom(0x660),
  'in Tamil digits': inDigitsFrom(0xbe6),
  'in Telugu digits': inDigitsFrom(0xc66),
  'in mathematical digits': inDigitsFrom(0x1d7e2),
  'with combining marks': (number) => number.replaceAll(/\d/g, '$&\u0301\u0323'),
  'with enclosing marks': (number) => number.replaceAll(/\d/g, '$&\u20e3'),
  'with control characters': inFours('\u0001'),
  'with invisible letters': inFours('\u3164'),
  'in HTML entities': (number) => number.replaceAll(/\d/g, (digit) => `&#${48 + Number(digit)};`),
  'in hexadecimal HTML entities': (number) => number.replaceAll(/\d/g, (digit) => `&#x3${digit};`),
  'with HTML blanks': inFours('&nbsp;'),
  'percent-encoded': (number) => number.replaceAll(/\d/g, '%3$&'),
  'percent-encoded twice': (number) => number.replaceAll(/\d/g, '%253$&'),
  'as a form writes it': inFours('+'),
  'in JSON escapes': (number) => number.replaceAll(/\d/g, '\\u003$&'),
}

/** Further spellings, with other text around the number. */
export const SPELLINGS: Record<string, (number: string) => string> = {
  ...WHOLE_SPELLINGS,
  'in a sentence': (number) => `my card is ${number}, thank you`,
  'after letters': (number) => `card${number}`,
  'after a word and an underscore, before a date': (number) => `pan_${number}1229`,
  'after a word and a colon, before a date': (number) => `cc:${number}=0131`,
  'after letters, before a date': (number) => `cc_${number}0927`,
  'after a plus': (number) => `+${number}`,
  'after another number': (number) => `12 pieces, ${number} 12/29 123`,
  'in groups before a date and a code': (number) => `${inFours(' ')(number)} 12/29 123`,
  'inside JSON': (number) => JSON.stringify({ card: { number } }),
  'in groups inside JSON inside JSON': (number) =>
    JSON.stringify({ body: JSON.stringify({ number: inFours(' ')(number) }) }),
  'over several lines inside JSON': (number) => JSON.stringify({ number: inFours('\n')(number) }),
  'before a letter': (number) => `${number}x`,
  'in an address': (number) => `https://shop.example/?card=${number}&a=b`,
}

/** Spellings in groups of other sizes, with the length of the numbers that are printed so. */
export const GROUPED_SPELLINGS: Record<string, readonly [length: number, spell: (number: string) => string]> =
  {
    'Amex in 4-6-5': [15, inGroups([4, 6, 5], ' ')],
    'Amex in 4-6-5 with dashes': [15, inGroups([4, 6, 5], '-')],
    'Diners in 4-6-4': [14, inGroups([4, 6, 4], ' ')],
    'Diners in 4-6-4 with dots': [14, inGroups([4, 6, 4], '.')],
  }
