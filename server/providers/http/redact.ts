/**
 * Removes secrets and personal data from requests and responses before they are logged: fields with a private name, the
 * account's own secrets anywhere in the text, and card numbers.
 */
import { maskCardNumbers } from '../../log/mask.ts'

export const REDACTED = '[removed]'
/** A longer body is cut off. */
const BODY_CHARS_MAX = 4_000
const DEPTH_MAX = 12
/** A shorter secret is not searched for, because it could occur in any text by chance. */
const SECRET_CHARS_MIN = 6

/** An address as text, as JSON with escaped slashes, and encoded for a form: its origin, and the rest. */
const ADDRESS = /(https?(?::|%3A)(?:\\?\/|%2F){2}[\w.:-]+)[^\s"'<>]*/gi

/** Private words of field names, in any spelling: `userName`, `user_name` and `USER-NAME` are the words `user` and `name`. */
const PRIVATE_WORDS = new Set(
  `pass password passwd pwd passphrase secret token authorization bearer signature sign checksum hash hmac key apikey
   pan cvv cvc cvv2 cvc2 cryptogram pin otp expiry exp expiration login user username
   email mail phone telephone tel mobile holder cardholder name firstname lastname surname address street postcode zip ip
   birth birthday dob passport iban tin payer account`.split(/\s+/),
)
/** Fields that are public although they contain a private word. */
const PUBLIC_NAMES = /^(idempotency[-_]?key|merchant[-_]?name|brand[-_]?name)$/i

/** Returns whether a field with this name can contain a secret or personal data. */
export function isPrivate(name: string): boolean {
  if (PUBLIC_NAMES.test(name)) return false
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.some((word) => PRIVATE_WORDS.has(word))
}

/** Returns a body as it may be stored. `secrets`: the account's own. `hidesAddresses`: of an address only the origin is kept. */
export function redactBody(
  body: string | Buffer,
  secrets: readonly string[],
  { hidesAddresses = false } = {},
): string {
  const text = body.toString('utf8')
  const whole = redactJson(text) ?? redactForm(text) ?? text
  const plain = hidesAddresses ? whole.replaceAll(ADDRESS, `$1/${REDACTED}`) : whole
  const kept = maskCardNumbers(withoutSecrets(plain, secrets))
  return kept.length > BODY_CHARS_MAX ? `${kept.slice(0, BODY_CHARS_MAX)}...` : kept
}

/** Returns an address without the private fields of its query. */
export function redactUrl(text: string, secrets: readonly string[]): string {
  if (!URL.canParse(text)) return ''
  const url = new URL(text)
  const query = url.search ? `?${redactForm(url.search.slice(1)) ?? REDACTED}` : ''
  return maskCardNumbers(withoutSecrets(`${url.origin}${url.pathname}${query}`, secrets))
}

/** Returns the message of a failure, which may quote an address. */
export function redactText(text: string, secrets: readonly string[]): string {
  return maskCardNumbers(withoutSecrets(text, secrets)).slice(0, 500)
}

/** An answer may quote a secret inside an address, where its characters are encoded. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SECRET_CHARS_MIN)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
    ])
    .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
}

/** Returns null for text that is not JSON. */
function redactJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return JSON.stringify(redactValue(JSON.parse(text), 0))
  } catch {
    // A part of a body can contain whole secrets, so nothing of it is stored.
    return `${REDACTED}: ${text.length} characters that are not valid JSON`
  }
}

function redactValue(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) return REDACTED
  if (Array.isArray(value)) return value.map((each) => redactValue(each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  // The sentence of an error may quote the buyer, and the code beside it says enough.
  const isError = 'code' in value && 'message' in value
  const isHidden = (name: string) => isPrivate(name) || (isError && name === 'message')
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    isHidden(name) && field !== null ? REDACTED : redactValue(field, depth + 1),
  ])
  return Object.fromEntries(fields)
}

/** Returns null for text that is not a form. */
function redactForm(text: string): string | null {
  if (!/^[^\s<>{}&=]+=[^\s<>{}=]*(&[^\s<>{}&=]+=[^\s<>{}=]*)*$/.test(text)) return null
  return text
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=')
      return isPrivate(decode(name)) ? `${name}=${REDACTED}` : pair
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
