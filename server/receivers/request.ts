/** The headers of one attempt to deliver an event: its signatures, by the contract and by Standard Webhooks. Which responses accept it. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** The keys of a secret: of the contract's header, and of Standard Webhooks. */
type Keys = { own: KeyObject; standard: KeyObject }
/** By the list of secrets, which all events of one claim share. */
const KEYS = new WeakMap<readonly string[], Keys[]>()

/**
 * Returns the signature headers of one attempt. `secrets`: the current ones, newest first. Each adds one signature. `at`: the time
 * of sending, because receivers reject an old one.
 */
function signatureHeaders(
  event: { id: string; body: string | Buffer },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const sign = (key: KeyObject, signed: string) => createHmac('sha256', key).update(signed).update(event.body)
  const keys = KEYS.get(secrets) ?? makeKeys(secrets)
  const own = keys.map((key) => `v1=${sign(key.own, `${timestamp}.`).digest('hex')}`)
  const standard = keys.map((key) => `v1,${sign(key.standard, `${event.id}.${timestamp}.`).digest('base64')}`)
  return {
    'x-service-signature': [`t=${timestamp}`, ...own].join(','),
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}

/** A text as a key takes three times as long, because Node looks first, with an error, whether it is a key object. */
function makeKeys(secrets: readonly string[]): Keys[] {
  const keys = secrets.map((secret) => ({
    own: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
  }))
  KEYS.set(secrets, keys)
  return keys
}

/** Returns every header that Kassa itself sets. `secrets`: the current ones, newest first. `at`: the time of sending. */
export function eventHeaders(
  event: { id: string; body: string | Buffer },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Kassa/1 (+events)',
    ...signatureHeaders(event, secrets, at),
  }
}

/** Returns whether this response accepts the event. A redirect does not. */
export function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300
}
