/**
 * Undoes the spellings of digits: encodings, entities and the digits of other scripts. The time is linear in the length of the text.
 */

/** How many layers of encodings are undone. */
const LAYERS_MAX = 3
const ENCODED = /%[0-9a-f]{2}|&#?[0-9a-z]|\\./i
const PERCENT_RUNS = /(?:%[0-9a-f]{2})+/gi
const ENTITIES = /&(?:#x0*([0-9a-f]{1,6})|#0*([0-9]{1,7})|([a-z]{2,8}));?/gi
const ESCAPES = /\\(?:u([0-9a-f]{4})|r\\n|([bfnrt])|(.))/gi
/** The entities that can stand between the groups of a number, and `&amp;`, which can hide another entity. */
const NAMED_ENTITIES: Record<string, string> = {
  amp: '&',
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  hairsp: ' ',
  numsp: ' ',
  tab: ' ',
  newline: '\n',
  hyphen: '-',
  dash: '-',
  ndash: '-',
  mdash: '-',
  minus: '-',
  period: '.',
  middot: '.',
  shy: '\u00ad',
  zwj: '\u200d',
  zwnj: '\u200c',
}

const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** The decimal digits of every script. NFKC turns only some of them into ASCII. */
const DIGIT = /\p{Nd}/u
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu

/** Returns the text with plain digits, and again after each layer of percent-encoding, entities and JSON escapes is undone. */
export function plainTexts(text: string): string[] {
  const all = [withPlainDigits(text)]
  for (let layer = text; all.length <= LAYERS_MAX && ENCODED.test(layer); all.push(withPlainDigits(layer)))
    layer = decodeLayer(layer)
  return all
}

/** Each encoded part is decoded by itself, so that invalid encoding elsewhere cannot hide digits. */
function decodeLayer(text: string): string {
  return text
    .replaceAll(PERCENT_RUNS, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
    .replaceAll(ENTITIES, decodeEntity)
    .replaceAll(ESCAPES, (_, code?: string, blank?: string, other?: string) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : blank ? ' ' : (other ?? '\n'),
    )
}

function decodeEntity(entity: string, hex?: string, decimal?: string, name = ''): string {
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
  if (code <= 0x10ffff) return String.fromCodePoint(code)
  return NAMED_ENTITIES[name.toLowerCase()] ?? entity
}

/** Returns the text without combining marks, and with the digits of every script as ASCII. */
function withPlainDigits(text: string): string {
  if (ASCII.test(text)) return text
  // The marks are removed first, because the time to normalize a long run of them grows with the square of its length.
  const plain = text.replace(MARKS, '').normalize('NFKC').replace(MARKS, '')
  return plain.replace(OTHER_DIGITS, asciiDigit)
}

/** In Unicode the digits of a script are ten consecutive code points, starting with its zero. Such rows may be adjacent. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}
