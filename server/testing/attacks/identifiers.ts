/** Makes the identifiers that merchants' programs use, in many forms. Their digits are no card numbers, but some look like them. */
import { createHash } from 'node:crypto'
import type { Random } from '../random.ts'

/** `hard`: some values of this form cannot be told from a card number, so their rate is only printed. */
type Form = { make: (random: Random) => string; hard?: true }

const FROM = Date.UTC(2020, 0)
const UNTIL = Date.UTC(2036, 0)

const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => String(random(0, 10))).join('')
const lettersOf = (alphabet: string) => (random: Random, count: number) =>
  Array.from({ length: count }, () => alphabet[random(0, alphabet.length)]).join('')
const hex = lettersOf('0123456789abcdef')
const crockford = lettersOf('0123456789ABCDEFGHJKMNPQRSTVWXYZ')
const urlSafe = lettersOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-')
const pick = <Item>(random: Random, items: readonly Item[]) => items[random(0, items.length)] as Item

const milliseconds = (random: Random) => FROM + random(0, UNTIL - FROM)
const seconds = (random: Random) => String(Math.floor(milliseconds(random) / 1_000))
/** `20261123140533`, of a random moment. */
const moment = (random: Random) =>
  new Date(milliseconds(random)).toISOString().slice(0, 19).replaceAll(/\D/g, '')
const day = (random: Random) => new Date(milliseconds(random)).toISOString().slice(0, 10)

/** Appends the check digit of the GS1 numbers: from the right, every other digit counts three times. */
function withGs1Digit(body: string): string {
  const sum = [...body].reverse().reduce((all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}
/** Appends the Luhn digit, which IMEIs have as well. */
function withLuhnDigit(body: string): string {
  const sum = [...body].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return all + (value > 9 ? value - 9 : value)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

/** `shape`: a letter for each random letter (A) or digit (0). */
function iban(random: Random, country: string, shape: string): string {
  const account = [...shape].map((each) => (each === 'A' ? 'QWERTZ'[random(0, 6)] : random(0, 10))).join('')
  const asNumber = [...`${account}${country}00`].map((each) => Number.parseInt(each, 36)).join('')
  return `${country}${String(98n - (BigInt(asNumber) % 97n)).padStart(2, '0')}${account}`
}
const IBANS: readonly (readonly [country: string, shape: string])[] = [
  ['DE', '0'.repeat(18)],
  ['GB', `AAAA${'0'.repeat(14)}`],
  ['FR', '0'.repeat(23)],
  ['ES', '0'.repeat(20)],
  ['NL', `AAAA${'0'.repeat(10)}`],
  ['BE', '0'.repeat(12)],
  ['GE', `AA${'0'.repeat(16)}`],
  ['AT', '0'.repeat(16)],
  ['DK', '0'.repeat(14)],
  ['CY', '0'.repeat(24)],
]
const anyIban = (random: Random) => iban(random, ...pick(random, IBANS))

const uuid = (random: Random, lead: string, version: string) => {
  const all = lead + hex(random, 32 - lead.length)
  const variant = pick(random, ['8', '9', 'a', 'b'])
  return `${all.slice(0, 12)}${version}${all.slice(13, 16)}${variant}${all.slice(17)}`
}
const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const uuid7 = (random: Random) => uuid(random, milliseconds(random).toString(16).padStart(12, '0'), '7')

function phone(random: Random): string {
  const country = pick(random, ['374', '7', '1', '49', '44', '995', '33', '36', '34', '91', '86', '55'])
  const number = digits(random, random(8, 12))
  return pick(random, [
    `+${country}${number}`,
    `+${country} ${number.slice(0, 2)} ${number.slice(2, 5)}-${number.slice(5)}`,
    `00${country}${number}`,
    `+${country} (${number.slice(0, 3)}) ${number.slice(3, 5)} ${number.slice(5)}`,
  ])
}

const always = (make: (random: Random) => string): Form => ({ make })
const mostly = (make: (random: Random) => string): Form => ({ make, hard: true })

export const FORMS: Record<string, Form> = {
  milliseconds: always((random) => String(milliseconds(random))),
  'order-<n>-<milliseconds>': always((random) => `order-${random(1, 100_000)}-${milliseconds(random)}`),
  microseconds: always((random) => `${milliseconds(random)}${digits(random, 3)}`),
  nanoseconds: always((random) => `${milliseconds(random)}${digits(random, 6)}`),
  'r<seconds>.<microseconds>': always((random) => `r${seconds(random)}.${digits(random, random(5, 8))}`),
  YYYYMMDDHHMMSS: always(moment),
  'YYYYMMDDHHMMSS and milliseconds': always((random) => moment(random) + digits(random, 3)),
  'YYYY-MM-DD-00017': always((random) => `${day(random)}-${String(random(0, 100_000)).padStart(5, '0')}`),
  'YYYYMMDD and eight digits': always((random) => moment(random).slice(0, 8) + digits(random, 8)),
  'YYMMDD and ten digits': mostly((random) => moment(random).slice(2, 8) + digits(random, 10)),
  'EAN-13': always((random) => withGs1Digit(digits(random, 12))),
  UPC: always((random) => withGs1Digit(digits(random, 11))),
  'GTIN-14 that begins with 0 or 1': always((random) => withGs1Digit(`${random(0, 2)}${digits(random, 12)}`)),
  IMEI: always((random) =>
    withLuhnDigit(pick(random, ['01', '35', '86', '91', '98', '99']) + digits(random, 12)),
  ),
  'UUID 4': always((random) => dashed(uuid(random, '', '4'))),
  'UUID 4 without dashes': always((random) => uuid(random, '', '4')),
  'UUID 7': always((random) => dashed(uuid7(random))),
  'UUID 7 without dashes': always(uuid7),
  ULID: always((random) => `01${crockford(random, 24)}`),
  'SHA-256 in hex': mostly((random) => createHash('sha256').update(hex(random, 32)).digest('hex')),
  'MD5 in hex': mostly((random) => createHash('md5').update(hex(random, 32)).digest('hex')),
  'uniqid of PHP': always((random) => Number(seconds(random)).toString(16) + hex(random, 5)),
  nanoid: always((random) => urlSafe(random, 21)),
  '13 digits of a shop': always((random) => String(random(1, 10)) + digits(random, 12)),
  '123-1234567-1234567': always((random) => [3, 7, 7].map((count) => digits(random, count)).join('-')),
  '12-12345-12345': always((random) => [2, 5, 5].map((count) => digits(random, count)).join('-')),
  '16 digits that begin with 80': always((random) => `80${digits(random, 14)}`),
  '16 digits that begin with 11': always((random) => `11${digits(random, 14)}`),
  '16 digits that begin with 30': always((random) => `30${digits(random, 14)}`),
  'snowflake of 18 digits': always((random) => `1${digits(random, 17)}`),
  'snowflake of 19 digits': always((random) => `1${digits(random, 18)}`),
  IBAN: always(anyIban),
  'IBAN in groups': always((random) => anyIban(random).replaceAll(/.{4}(?=.)/g, '$& ')),
  'telephone number': always(phone),
  'account that begins with 1570': always((random) => `1570${digits(random, 12)}`),
  'account that begins with 1930': always((random) => `1930${digits(random, 12)}`),
  'account that begins with 2050': always((random) => `2050${digits(random, 12)}`),
  'account that begins with 2200': mostly((random) => `2200${digits(random, 12)}`),
  'account that begins with 2470': mostly((random) => `2470${digits(random, 12)}`),
}
