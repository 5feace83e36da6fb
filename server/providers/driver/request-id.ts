/**
 * The id under which a provider does a write once, such as PayPal-Request-Id or Stripe's Idempotency-Key.
 * Rule: an id belongs to one write. A repetition of the write has the same id, and no other write has it, also not at another
 * address: a provider may return the result of the earlier write and do nothing.
 */
import { hash } from 'node:crypto'

/** `max`: the longest id that the provider accepts. `marks`: every word that can follow the room. */
export type IdForm = { separator: string; max: number; marks: readonly string[] }

/**
 * `room`: what the write belongs to: our reference, or our reference and the operation's key. `marks`: what distinguishes the writes
 * of one room. Returns readable text, or a digest of it if the text is too long or could be read as an id of another room.
 */
export function requestIdOf(
  room: readonly string[],
  marks: readonly string[],
  { separator, max, marks: all }: IdForm,
): string {
  const text = [...room, ...marks].join(separator)
  const isAmbiguous = room.some((part) =>
    part.split(separator).some((word, index) => index > 0 && all.includes(word)),
  )
  if (text.length <= max && !isAmbiguous) return text
  return hash('sha256', JSON.stringify([room, marks]), 'hex').slice(0, Math.min(max, DIGEST_CHARS))
}

const DIGEST_CHARS = 38

/**
 * Whether a `key` of the port belongs to one write by itself. The service derives it from the request, with what is to be done, so
 * nothing has to follow it. Such a write has the same id in every version, so a version that finishes it does not do it twice.
 */
export function isOfOneWrite(key: string): boolean {
  return /^[0-9a-f]{32}$/.test(key)
}
