/** Checks that an event is signed, as the receiver kits do. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/**
 * Returns why this is not an event of Kassa, or null if it is one. `secrets`: those of the merchant. `header`: X-SERVICE-Signature.
 * `now`: the real time, because a signature has the real time too.
 */
export function refusalOf(
  body: string,
  { header = '', secrets, now }: { header: string | undefined; secrets: string[]; now: Date },
): string | null {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{10}$/.test(t)) return 'There is no X-SERVICE-Signature header with a time in seconds.'
  const given = parts.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'))
  const isSigned = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest()
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
  })
  if (!isSigned) return 'No signature fits.'
  const ageSeconds = Math.round(now.getTime() / 1000 - Number(t))
  return Math.abs(ageSeconds) > TOLERANCE_SECONDS ? `It was signed ${ageSeconds} s ago.` : null
}
