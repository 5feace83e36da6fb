/** Which Idempotency-Key each write has. Stripe has one list of keys for the whole account. */
import { isOfOneWrite, requestIdOf } from '../driver/request-id.ts'
import type { MoneyWrite, TokenCharge } from '../driver.ts'

/** `bare`, `again`, `day`: the same session with other parameters, after Stripe has opened none. */
const OPENING = ['bare', 'again', 'day'] as const
const WRITES = ['refund', 'capture', 'cancel'] as const
export type OpeningMark = (typeof OPENING)[number]

const FORM = { separator: '.', max: 255, marks: [...OPENING, ...WRITES] }

/** For the charge of a saved card. */
export function keyOfCharge({ reference, refusedTimes }: Pick<TokenCharge, 'reference' | 'refusedTimes'>): {
  idempotencyKey: string
} {
  return { idempotencyKey: requestIdOf([reference], marksOf(refusedTimes), FORM) }
}

/** For what opens a payment or the saving of a card. */
export function keyOfOpening(reference: string, ...marks: OpeningMark[]): { idempotencyKey: string } {
  return { idempotencyKey: requestIdOf([reference], marks, FORM) }
}

export function keyOfWrite(
  write: (typeof WRITES)[number],
  { reference, key, refusedTimes }: Pick<MoneyWrite, 'reference' | 'key' | 'refusedTimes'>,
): { idempotencyKey: string } {
  const marks = [...(isOfOneWrite(key) ? [] : [write]), ...marksOf(refusedTimes)]
  return { idempotencyKey: requestIdOf([reference, key], marks, FORM) }
}

/** Stripe repeats its answer for a key for a day, also a refusal. The next try is another write. */
function marksOf(refusedTimes = 0): string[] {
  return refusedTimes > 0 ? [String(refusedTimes)] : []
}
