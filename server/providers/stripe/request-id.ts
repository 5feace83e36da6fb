/** Which Idempotency-Key each write has. Stripe has one list of keys for the whole account. */
import { isOfOneWrite, requestIdOf } from '../driver/request-id.ts'
import type { MoneyWrite } from '../driver.ts'

/** `bare`, `again`, `day`: the same session with other parameters, after Stripe has opened none. */
const OPENING = ['bare', 'again', 'day'] as const
const WRITES = ['refund', 'capture', 'cancel'] as const
export type OpeningMark = (typeof OPENING)[number]

const FORM = { separator: '.', max: 255, marks: [...OPENING, ...WRITES] }

/** For what opens a payment or the saving of a card, and for the charge of a saved card. */
export function keyOfOpening(reference: string, ...marks: OpeningMark[]): { idempotencyKey: string } {
  return { idempotencyKey: requestIdOf([reference], marks, FORM) }
}

export function keyOfWrite(
  write: (typeof WRITES)[number],
  { reference, key }: Pick<MoneyWrite, 'reference' | 'key'>,
): { idempotencyKey: string } {
  return { idempotencyKey: requestIdOf([reference, key], isOfOneWrite(key) ? [] : [write], FORM) }
}
