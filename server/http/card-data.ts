/**
 * Raw card data is refused before anything is stored or logged: by the names that it goes under, and by its digits.
 * Whatever is refused is named, never repeated.
 */

import { holdsCardNumber, type Measure } from '../card-number.ts'
import { AppError } from '../errors.ts'
import { walk } from './walk.ts'

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

/** References and addresses of the merchant's own hold long numbers by right: a brand's prefix is wanted as well. */
const BRANDED_FIELDS = new Set(['merchantOrderId', 'merchantSubscriptionId', 'returnUrl', 'customer.phone'])

/** `root`: the name of the whole, for what has no better one. @throws AppError raw_card_data_rejected */
export function refuseCardData(data: unknown, root: string): void {
  if (!isClean(data, 'loose')) throw refusal(root)
  for (const { path, parent, key, value } of walk(data)) {
    // A name that holds a number must not be repeated: the refusal names what holds it.
    if (key !== null && holdsCardNumber(key, 'loose')) throw refusal(parent || root)
    if (key !== null && isCardName(key)) throw refusal(path)
    if (!isClean(value, BRANDED_FIELDS.has(path) ? 'branded' : 'loose')) throw refusal(path)
  }
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

/** The text, and what it says once percent-encoding is taken off. */
function spellings(text: string): string[] {
  if (!/%[0-9a-f]{2}/i.test(text)) return [text]
  // Piece by piece: broken encoding elsewhere in the text must not hide digits.
  const decode = (bytes: string) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
  return [text, text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode)]
}
