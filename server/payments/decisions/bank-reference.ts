/** The references of transfers that a person has read in a bank's statement. One transfer counts once at an account. */
import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Queryable, Tx } from '../../storage/db.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { findBankReference, insertBankReference } from '../../storage/payments/bank-references.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { entriesOfAttempt } from '../entries/record.ts'
import { decimalAmount } from '../money.ts'

/** `in`: money that arrived. `out`: money that went back to the buyer. Both may carry the same reference. */
type Direction = 'in' | 'out'

export const referenceNote = (reference: string) => `bank reference ${reference}`

/** Returns the reference of such a note, behind which the sums may stand. Null for any other text. */
export function referenceIn(detail: string): string | null {
  const note = referenceNote('')
  if (!detail.startsWith(note)) return null
  return detail.slice(note.length).replace(/: [\d.]+ [A-Z]{3} arrived.*$/, '')
}

/** Returns the form in which references are compared. People type the same reference with other blanks and other letter cases. */
function comparable(reference: string, direction: Direction): string {
  const plain = reference
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cf}]/gu, '')
    .toUpperCase()
  return direction === 'in' ? plain : `OUT ${plain}`
}

/** Whether this transfer was already counted for the payment of this attempt. */
export async function isReferenceOf(
  tx: Queryable,
  { accountId, paymentId }: Attempt,
  reference: string,
  direction: Direction = 'in',
): Promise<boolean> {
  return (await findBankReference(tx, { accountId, key: comparable(reference, direction) })) === paymentId
}

/** @throws AppError payment_not_eligible when the transfer was counted for another payment */
export async function takeReference(
  ctx: Context,
  tx: Tx,
  { merchantId, paymentId, accountId }: Attempt,
  reference: string,
  direction: Direction = 'in',
): Promise<void> {
  const key = comparable(reference, direction)
  const taken = { merchantId, paymentId, accountId, reference, key, createdAt: ctx.clock.now() }
  if (await insertBankReference(tx, taken)) return
  const other = await findBankReference(tx, taken)
  const message =
    direction === 'in'
      ? `The ${referenceNote(reference)} has confirmed the payment ${other} of the same account already. One transfer pays for one payment.`
      : `The ${referenceNote(reference)} has returned money of the payment ${other} of the same account already. One transfer counts once.`
  throw new AppError('payment_not_eligible', { message })
}

/** The rest of a reference that named a forgotten buyer. It is the same only if it is typed in the same way. */
const digestOf = (reference: string) => `sha256:${createHash('sha256').update(reference).digest('hex')}`

const KINDS = { in: ['taken', 'unmatched'], out: ['refunded', 'over_returned'] } as const

/**
 * Refuses the reference of a known transfer together with another amount: one of the two was mistyped.
 * An entry of an earlier version names no reference, so nothing is known of its amount.
 * @throws AppError payment_not_eligible
 */
export async function refuseOtherSum(
  tx: Tx,
  payment: AttemptedPayment,
  { reference, amountMinor }: { reference: string; amountMinor?: number | undefined },
  direction: Direction = 'in',
): Promise<void> {
  const kinds: readonly string[] = KINDS[direction]
  const key = comparable(reference, direction)
  const isIt = (noted: string) => comparable(noted, direction) === key || noted === digestOf(reference)
  const noted = entriesOfAttempt(await listEntries(tx, payment), payment.attempt.number)
    .filter(({ kind, providerId }) => kinds.includes(kind) && providerId !== null && isIt(providerId))
    .reduce((sum, entry) => sum + entry.amountMinor, 0)
  if (noted === 0 || amountMinor === undefined || amountMinor === noted) return
  const { currency } = payment
  const [amount = '', other = ''] = [noted, amountMinor].map(
    (minor) => `${decimalAmount(minor, currency)} ${currency}`,
  )
  throw new AppError('payment_not_eligible', {
    reason: 'reference_amount',
    about: { reference, amount },
    message: `The ${referenceNote(reference)} is noted with ${amount}, and not with ${other}. Nothing was stored. Look into the statement of the bank: either the reference or the amount is another one.`,
  })
}
