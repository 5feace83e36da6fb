/** Makes card numbers that no bank issued: the prefix of a brand, digits, and a correct check digit. */

/** A prefix and a length for each brand. */
export const BRAND_PREFIXES: readonly (readonly [string, number])[] = [
  ...([
    ['4', 16],
    ['4', 13],
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
    ['5018', 13],
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
  const sum = [...body].reverse().reduce((total, char, index) => {
    const value = Number(char) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return body + String((10 - (sum % 10)) % 10)
}

const inFours = (join: string) => (number: string) => number.match(/.{1,4}/g)?.join(join) ?? ''

/** Returns the digits of a script. `zero`: its digit zero. */
function inDigitsFrom(zero: number) {
  return (number: string) => number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
}

/** The ways in which people and programs write a card number. */
export const SPELLINGS: Record<string, (number: string) => string> = {
  'as it is': (number) => number,
  'in fours': inFours(' '),
  'with dashes': inFours('-'),
  'with dots': inFours('.'),
  'with no-break spaces': inFours('\u00a0'),
  'with thin spaces': inFours('\u2009'),
  'with en dashes': inFours('\u2013'),
  'with invisible characters': inFours('\u200b'),
  'over several lines': inFours('\n'),
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
  'in a sentence': (number) => `my card is ${number}, thank you`,
  'between letters': (number) => `card${number}x`,
  'after another number': (number) => `12 pieces, ${number} 12/29 123`,
}
