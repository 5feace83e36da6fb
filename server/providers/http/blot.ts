/**
 * Takes secrets and personal data out of what is kept of an exchange: by the name of the field, by the account's own
 * secrets wherever they stand, and by a scan for card numbers.
 */
import { maskCardNumbers } from '../../card-number.ts'

export const BLOT = '[removed]'
/** Kept of a body. */
export const BODY_CHARS_MAX = 4_000
const DEPTH_MAX = 12
/** A shorter text could stand anywhere by chance. */
const SECRET_CHARS_MIN = 6

/** Words of field names, in any spelling: `userName`, `user_name` and `USER-NAME` are the words `user` and `name`. */
const PRIVATE_WORDS = new Set(
  `pass password passwd pwd passphrase secret token authorization bearer signature sign checksum hash hmac key apikey
   pan cvv cvc cvv2 cvc2 cryptogram pin otp expiry exp expiration login user username
   email mail phone telephone tel mobile holder cardholder name firstname lastname surname address street postcode zip ip
   birth birthday dob passport iban tin payer account`.split(/\s+/),
)
/** Such words make a field public again: an order's key is no secret, a shop's name no person's. */
const PUBLIC_NAMES = /^(idempotency[-_]?key|merchant[-_]?name|brand[-_]?name)$/i

/** Whether a field of this name may hold a secret or personal data. */
export function isPrivate(name: string): boolean {
  if (PUBLIC_NAMES.test(name)) return false
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.some((word) => PRIVATE_WORDS.has(word))
}

/** A body as it may be kept; `secrets`: the account's own. */
export function blotBody(body: string | Buffer, secrets: readonly string[]): string {
  const text = body.toString('utf8')
  const plain = blotJson(text) ?? blotForm(text) ?? text
  const kept = maskCardNumbers(withoutSecrets(plain, secrets))
  return kept.length > BODY_CHARS_MAX ? `${kept.slice(0, BODY_CHARS_MAX)}...` : kept
}

/** An address with its query's private fields taken out. */
export function blotUrl(text: string, secrets: readonly string[]): string {
  if (!URL.canParse(text)) return ''
  const url = new URL(text)
  const query = url.search ? `?${blotForm(url.search.slice(1)) ?? BLOT}` : ''
  return maskCardNumbers(withoutSecrets(`${url.origin}${url.pathname}${query}`, secrets))
}

/** A message about a failure, which may quote an address. */
export function blotText(text: string, secrets: readonly string[]): string {
  return maskCardNumbers(withoutSecrets(text, secrets)).slice(0, 500)
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SECRET_CHARS_MIN)
    .reduce((rest, secret) => rest.replaceAll(secret, BLOT), text)
}

/** Null for text that is not JSON. */
function blotJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return JSON.stringify(blotValue(JSON.parse(text), 0))
  } catch {
    // Half a body may still hold whole secrets: nothing of it is kept.
    return `${BLOT}: ${text.length} characters that are no whole JSON`
  }
}

function blotValue(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) return BLOT
  if (Array.isArray(value)) return value.map((each) => blotValue(each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    isPrivate(name) && field !== null ? BLOT : blotValue(field, depth + 1),
  ])
  return Object.fromEntries(fields)
}

/** Null for text that is not a form. */
function blotForm(text: string): string | null {
  if (!/^[^\s<>{}&=]+=[^\s<>{}=]*(&[^\s<>{}&=]+=[^\s<>{}=]*)*$/.test(text)) return null
  return text
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=')
      return isPrivate(decode(name)) ? `${name}=${BLOT}` : pair
    })
    .join('&')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
