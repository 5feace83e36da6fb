/**
 * Raw card data is refused before anything is stored or logged: by the names that it goes under, and by its digits.
 * Whatever is refused is named, never repeated.
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
/** So many layers of percent-encoding are taken off. */
const ENCODINGS_MAX = 3
const ENCODED = /%[0-9a-f]{2}/i
const ENCODED_RUNS = /(?:%[0-9a-f]{2})+/gi

/** References and addresses of the merchant's own may contain long numbers, so these fields need a brand's prefix as well. */
const BRANDED_FIELDS = new Set(['merchantOrderId', 'merchantSubscriptionId', 'returnUrl'])

/** `root`: the name of the whole, for what has no better one. @throws AppError raw_card_data_rejected */
export function refuseCardData(data: unknown, root: string): void {
  if (!isClean(data, 'loose')) throw refusal(root)
  for (const visited of walk(data)) {
    const { name, isElement, value } = visited
    // A name with a card number in it must not be repeated, so the refusal names what holds it.
    if (!isElement && !isClean(name, 'loose')) throw refusal(pathOf(visited.parent, root))
    if (!isElement && spellings(name).some(isCardName)) throw refusal(pathOf(visited, root))
    if (!isClean(value, isBranded(visited) ? 'branded' : 'loose')) throw refusal(pathOf(visited, root))
  }
}

function isBranded({ name, depth, parent }: Visited): boolean {
  if (depth === 1) return BRANDED_FIELDS.has(name)
  return depth === 2 && name === 'phone' && parent?.name === 'customer'
}

function refusal(field: string): AppError {
  return new AppError('raw_card_data_rejected', { errors: { [field]: 'must not hold card data' } })
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

/** Of objects only the names are looked at here; their values come by in turn. */
function isClean(value: unknown, measure: Measure): boolean {
  if (typeof value === 'string') return spellings(value).every((text) => !holdsCardNumber(text, measure))
  if (typeof value === 'number')
    return !holdsCardNumber(String(value), Number.isInteger(value) ? measure : 'branded')
  if (!Array.isArray(value)) return true
  // A number may come in pieces, one element each.
  const pieces = value.filter((each) => typeof each === 'string' || typeof each === 'number')
  return pieces.length < 2 || !holdsCardNumber(pieces.join(' '), 'branded')
}

/** The text, and what it says once each layer of percent-encoding is taken off. */
function spellings(text: string): string[] {
  const all = [text]
  for (let plain = text; all.length <= ENCODINGS_MAX && ENCODED.test(plain); all.push(plain))
    // Piece by piece: broken encoding elsewhere in the text must not hide digits.
    plain = plain.replaceAll(ENCODED_RUNS, decode)
  return all
}

const decode = (bytes: string) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
