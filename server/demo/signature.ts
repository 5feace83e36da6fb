/** Checks the signature of an event. This is a merchant's own code, so it shares nothing with the code that signs. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** Reads `t=<seconds>,v1=<hex>`. One signature must match, and the time must be within TOLERANCE_SECONDS of ours. */
export function isSigned(
  body: Buffer,
  header: string | string[] | undefined,
  secret: string,
  now: Date,
): boolean {
  const parts = String(header ?? '').split(',')
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice('t='.length) ?? ''
  if (!/^\d{10}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  return parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => Buffer.from(part.slice('v1='.length), 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
