/**
 * Rejects raw card data before anything is stored or logged. It recognizes the names of such fields, and card numbers in any field.
 * The error names the field and never repeats its value.
 */

import { holdsCardNumber, type Measure } from '../card-number.ts'
import { AppError } from '../errors.ts'
import { pathOf, type Visited, walk } from './walk.ts'

/** Property names, without case, underscores, dashes, dots and blanks. */
const CARD_NAMES = new Set([
  'pan',
  'primaryaccountnumber',
  'cardnumber',
  'cardno',
  'cardnum',
  'cardpan',
  'ccnumber',
  'ccnum',
  'ccno',
  'creditcard',
  'creditcardnumber',
  'debitcard',
  'debitcardnumber',
  'fullcardnumber',
  'cvv',
  'cvv2',
  'cvc',
  'cvc2',
  'cvn',
  'cvn2',
  'cav2',
  'cardcvv',
  'cardcvc',
  'cvvcode',
  'cvccode',
  'securitycode',
  'cardsecuritycode',
  'cardcode',
  'cardverificationvalue',
  'cardverificationcode',
  'expiry',
  'cardexpiry',
  'cardexpiration',
  'cardexpirydate',
  'cardexpdate',
  'ccexp',
  'ccexpiry',
  'track',
  'track1',
  'track2',
  'trackdata',
  'track1data',
  'track2data',
  'magstripe',
  'pinblock',
  'cardpin',
])
const NAME_MAX_CHARS = 40
/** How many layers of percent-encoding are decoded. */
const ENCODINGS_MAX = 3
const ENCODED = /%[0-9a-f]{2}/i
const ENCODED_RUNS = /(?:%[0-9a-f]{2})+/gi

/** References and addresses of the merchant's own may contain long numbers, so these fields need a brand's prefix as well. */
const BRANDED_FIELDS = new Set(['merchantOrderId', 'merchantSubscriptionId', 'returnUrl'])

/**
 * `root`: the name for the whole data, where there is no field name. `all`: what `walk` has returned for the data, if it was called
 * before. @throws AppError raw_card_data_rejected
 */
export function refuseCardData(data: unknown, root: string, all = walk(data)): void {
  if (!isClean(data, 'loose')) throw refusal(root)
  for (const visited of all) {
    const { isElement, value } = visited
    if (!isElement) refuseCardName(visited, root)
    if (!isClean(value, isBranded(visited) ? 'branded' : 'loose')) throw refusal(pathOf(visited, root))
  }
}

/** Names without card data, because the requests of a merchant repeat the same names. */
const harmless = new Set<string>()
const HARMLESS_MAX = 1_000

function refuseCardName(visited: Visited, root: string): void {
  const { name, parent } = visited
  if (harmless.has(name)) return
  // A name that contains a card number must not be repeated, so the error names the parent.
  if (!isClean(name, 'loose')) throw refusal(pathOf(parent, root))
  if (spellings(name).some(isCardName)) throw refusal(pathOf(visited, root))
  if (harmless.size >= HARMLESS_MAX) harmless.clear()
  if (name.length <= NAME_MAX_CHARS) harmless.add(name)
}

function isBranded({ name, depth, parent }: Visited): boolean {
  if (depth === 1) return BRANDED_FIELDS.has(name)
  return depth === 2 && name === 'phone' && parent?.name === 'customer'
}

function refusal(field: string): AppError {
  return new AppError('raw_card_data_rejected', { errors: { [field]: 'must not contain card data' } })
}

function isCardName(name: string): boolean {
  if (name.length > NAME_MAX_CHARS) return false
  return CARD_NAMES.has(
    name
      .normalize('NFKC')
      .replaceAll(/[\s_.-]/g, '')
      .toLowerCase(),
  )
}

/** Returns whether a value contains no card number. The values of an object are visited one by one later. */
function isClean(value: unknown, measure: Measure): boolean {
  if (typeof value === 'string') return spellings(value).every((text) => !holdsCardNumber(text, measure))
  if (typeof value === 'number')
    return !holdsCardNumber(String(value), Number.isInteger(value) ? measure : 'branded')
  if (!Array.isArray(value)) return true
  // A card number can be split over several elements.
  const pieces = value.filter((each) => typeof each === 'string' || typeof each === 'number')
  return pieces.length < 2 || !holdsCardNumber(pieces.join(' '), 'branded')
}

/** Returns the text, and the text after each layer of percent-encoding is decoded. */
function spellings(text: string): string[] {
  const all = [text]
  for (let plain = text; all.length <= ENCODINGS_MAX && ENCODED.test(plain); all.push(plain))
    // Each encoded part is decoded by itself, so that invalid encoding elsewhere cannot hide digits.
    plain = plain.replaceAll(ENCODED_RUNS, decode)
  return all
}

const decode = (bytes: string) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
