import { createHash } from 'node:crypto'

const ORDER_MAX_CHARS = 120
/** 10 characters of base 32 carry the first 50 of 64 bits. */
const DIGEST_CHARS = 10
const DIGEST_SHIFT = 14n

/**
 * Returns the order reference of a charge. One that would be too long is cut, and gets a part of its SHA-256, so that two long
 * references never become the same one. Characters are code points, so no character is cut in half.
 */
export function orderOf(merchantSubscriptionId: string, period: number): string {
  const whole = [...`${merchantSubscriptionId}/${period}`]
  if (whole.length <= ORDER_MAX_CHARS) return whole.join('')
  const digest = createHash('sha256').update(whole.join('')).digest().readBigUInt64BE() >> DIGEST_SHIFT
  const end = `~${digest.toString(32).padStart(DIGEST_CHARS, '0')}/${period}`
  return whole.slice(0, ORDER_MAX_CHARS - end.length).join('') + end
}
