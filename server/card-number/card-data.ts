/**
 * Rejects raw card data before anything is stored or logged. A card number is recognized by its value, in every field. The error
 * names the field and the last four digits, and never repeats the value.
 */
import { AppError } from '../errors.ts'
import { findCardNumber, readCardNumber } from './find.ts'
import { plainTexts } from './spelling.ts'
import { pathOf, type Visited, walk } from './walk.ts'

/** Names of a card's security code, without case, underscores, dashes, dots and blanks. */
const CODE_NAMES = new Set([
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
  'cardverificationvalue',
  'cardverificationcode',
])
const NAME_MAX_CHARS = 40
const CODE = /^\s*\d{3,4}\s*$/

/**
 * The header and the fields that identify something of the merchant's or of this service. Programs make such values from dates,
 * counters and random digits, so only a value that as a whole is a card number is rejected.
 */
const IDENTIFIERS = new Set([
  'Idempotency-Key',
  'clientReference',
  'merchantOrderId',
  'merchantSubscriptionId',
  'paymentId',
  'productId',
  'publicKey',
  'subscriptionId',
  'tokenId',
])

/** `strict`: identifiers are read like any other text. `all`: what `walk` has returned for the data, if it was called before. */
type Reading = { strict?: boolean; all?: readonly Visited[] }
/** What a merchant's developer can do about a rejected value that is no card number. */
const ADVICE = {
  identifier: 'If it is your own number, put a word before it, such as "order-".',
  text: 'If it is another number, put a letter directly before and after its digits, or write it in groups of five digits.',
}

/** `root`: the name for the whole data, where there is no field name. @throws AppError raw_card_data_rejected */
export function refuseCardData(
  data: unknown,
  root: string,
  { strict = false, all = walk(data) }: Reading = {},
): void {
  const isIdentifier = (name: string) => !strict && IDENTIFIERS.has(name)
  const problem = problemOf(data, root, isIdentifier(root))
  if (problem) throw refusal(root, problem)
  for (const visited of all) {
    const { depth, isElement, name, parent, value } = visited
    if (!isElement) refuseName(visited, root)
    const field = isElement ? (parent?.name ?? root) : name
    const found = problemOf(value, field, depth === 1 && isIdentifier(name))
    if (found) throw refusal(pathOf(visited, root), found)
  }
}

/** Returns what is wrong with a value, or null. The values of an object are visited one by one later. */
function problemOf(value: unknown, name: string, isIdentifier: boolean): string | null {
  const text = textOf(value)
  if (text === null) return null
  const isWhole = isIdentifier || Array.isArray(value)
  const lastFour = isWhole ? readCardNumber(text) : findCardNumber(text, name.slice(0, NAME_MAX_CHARS))
  if (!lastFour) return null
  return isIdentifier
    ? `is a card number by its digits, ending in ${lastFour}. ${ADVICE.identifier}`
    : `contains a card number, ending in ${lastFour}. ${ADVICE.text}`
}

/** Returns null if there is nothing to read. A number with decimals is no card number. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (Number.isInteger(value)) return String(value)
  // A card number can be split over all elements of a list.
  const isPieces = Array.isArray(value) && value.every((each) => typeof each === 'string')
  return isPieces && value.length > 1 ? value.join(' ') : null
}

/** Names without card data, because the requests of a merchant repeat the same names. */
const harmless = new Set<string>()
const HARMLESS_MAX = 1_000

function refuseName(visited: Visited, root: string): void {
  const { name, parent, value } = visited
  if (harmless.has(name)) return
  const lastFour = findCardNumber(name)
  // A name that contains a card number must not be repeated, so the error names the parent.
  if (lastFour)
    throw refusal(
      pathOf(parent, root),
      `has a property whose name contains a card number, ending in ${lastFour}`,
    )
  if (isCodeName(name)) {
    if (isCode(value)) throw refusal(pathOf(visited, root), "contains a card's security code")
    return
  }
  if (harmless.size >= HARMLESS_MAX) harmless.clear()
  if (name.length <= NAME_MAX_CHARS) harmless.add(name)
}

function isCodeName(name: string): boolean {
  if (name.length > NAME_MAX_CHARS) return false
  return plainTexts(name).some((plain) => CODE_NAMES.has(plain.replaceAll(/[\s_.-]/g, '').toLowerCase()))
}

function isCode(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  return plainTexts(String(value)).some((plain) => CODE.test(plain))
}

const refusal = (field: string, problem: string) =>
  new AppError('raw_card_data_rejected', { errors: { [field]: problem } })
