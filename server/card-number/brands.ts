/**
 * The brands of cards, and the test of a check digit. A tenth of all numbers with enough digits passes the Luhn test by chance. So a card
 * number also needs the prefix and a length of a brand.
 */

export const DIGITS_MIN = 13
export const DIGITS_MAX = 19
/** The month and year of an expiry date. Programs write them directly behind the number. */
export const EXPIRY_DIGITS = 4
export const EXPIRY = /(?:0[1-9]|1[0-2])\d\d$/

/**
 * The first and last prefix of a brand, and the lengths of its numbers. `inLog`: further lengths that hardly any card has, but many
 * other numbers have. Such numbers are masked in the log, where that does no harm. A request is not rejected because of them.
 */
type Brand = readonly [first: string, last: string, lengths: readonly number[], inLog?: readonly number[]]

const MAESTRO = [14, 15, 16, 17, 18, 19]

const BRANDS: readonly Brand[] = [
  ['4', '4', [13, 16, 19]], // Visa
  ['51', '55', [16]], // Mastercard
  ['2221', '2720', [16]], // Mastercard, the 2-series
  ['34', '34', [15]], // American Express
  ['37', '37', [15]],
  ['300', '305', [14], [16, 19]], // Diners Club
  ['3095', '3095', [14], [16, 19]],
  ['36', '36', [14, 16, 19]],
  ['38', '39', [14, 16, 19]],
  ['6011', '6011', [16, 19]], // Discover
  ['644', '659', [16, 19]],
  ['3528', '3589', [16, 17, 18, 19]], // JCB
  ['62', '62', [16, 17, 18, 19]], // UnionPay
  ['8100', '8171', [16, 17, 18, 19]],
  ['81', '81', [], [16, 17, 18, 19]],
  ['2200', '2204', [16, 17, 18, 19]], // Mir
  ['9051', '9051', [16]], // ArCa
  // Maestro: the ranges that Mastercard names, and in them the prefixes that are known to have numbers of any length.
  ['50', '50', [16, 18, 19], [13, 14, 15, 17]],
  ['56', '58', [16, 18, 19], [13, 14, 15, 17]],
  ['60', '69', [16, 18, 19], [13, 14, 15, 17]],
  ['5018', '5018', MAESTRO],
  ['5020', '5020', MAESTRO],
  ['5038', '5038', MAESTRO],
  ['5893', '5893', MAESTRO],
  ['6304', '6304', MAESTRO],
  ['6390', '6390', MAESTRO],
  ['6759', '6759', MAESTRO],
  ['6761', '6763', MAESTRO],
]

const LEAD_DIGITS = 4
/** For each possible four leading digits, the lengths of its cards, one bit each. */
type LengthsByLead = Uint32Array

const REJECTED = lengthsByLead(([, , lengths]) => lengths)
const MASKED = lengthsByLead(([, , lengths, inLog = []]) => [...lengths, ...inLog])

function lengthsByLead(lengthsOf: (brand: Brand) => readonly number[]): LengthsByLead {
  const table = new Uint32Array(10 ** LEAD_DIGITS)
  for (const brand of BRANDS) {
    const [first, last] = brand
    const bits = lengthsOf(brand).reduce((all, length) => all | (1 << length), 0)
    const end = Number(last.padEnd(LEAD_DIGITS, '9'))
    for (let lead = Number(first.padEnd(LEAD_DIGITS, '0')); lead <= end; lead++)
      table[lead] = (table[lead] ?? 0) | bits
  }
  return table
}

/** Returns whether a brand has numbers with this prefix and length, and the check digit is right. */
export const isCardNumber = (digits: string): boolean => hasLength(REJECTED, digits) && passesLuhn(digits)

/** Like `isCardNumber`, also with the lengths that only the log masks. */
export const isMaskedNumber = (digits: string): boolean => hasLength(MASKED, digits) && passesLuhn(digits)

function hasLength(table: LengthsByLead, digits: string): boolean {
  if (digits.length > DIGITS_MAX) return false
  const lengths = table[Number(digits.slice(0, LEAD_DIGITS))] ?? 0
  return ((lengths >> digits.length) & 1) === 1
}

/** The check digit of ISO/IEC 7812. */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
