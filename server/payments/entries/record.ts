/** Writes the entries of an answer or a decision. This is the only writer of the ledger and of an attempt's sums. */
import type { Tx } from '../../storage/db.ts'
import type { NamedAttempt } from '../../storage/payments/attempt.ts'
import {
  type AttemptSums,
  type EntryRecord,
  insertEntries,
  listEntries,
} from '../../storage/payments/entries.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { insertNewWarning } from '../../storage/payments/payment-warnings.ts'
import { computeSums } from './entry.ts'
import { listMovements, type Movement, type ReportedDetails } from './movements.ts'

export type MovementsToRecord = {
  /** The attempt's sums from now on; null if they stay as they are. */
  target: AttemptSums | null
  details: ReportedDetails
  proof: string
  at: Date
}

export type LedgerAttempt = Pick<Payment, 'merchantId' | 'id' | 'currency'> & { attempt: NamedAttempt }

/** Returns what is to be recorded, and writes nothing. */
export function missingEntries(
  entries: readonly EntryRecord[],
  { attempt: { number }, currency }: LedgerAttempt,
  { target, details }: Pick<MovementsToRecord, 'target' | 'details'>,
): Movement[] {
  return listMovements(entriesOfAttempt(entries, number), currency, target, details)
}

/** Records what has happened to the attempt since its last entry. Runs under the lock of the payment's row. */
export async function recordMovements(
  tx: Tx,
  payment: LedgerAttempt,
  given: MovementsToRecord,
): Promise<Movement[]> {
  const entries = await listEntries(tx, payment)
  const movements = missingEntries(entries, payment, given)
  if (movements.length === 0) return []
  const { proof, at } = given
  const after = computeSums([...entriesOfAttempt(entries, payment.attempt.number), ...movements])
  await insertEntries(tx, payment.attempt, {
    entries: movements.map((movement) => ({ ...movement, proof })),
    after,
    at,
  })
  return movements
}

/**
 * Returns the sums of the payment's own attempt, which are those of the payment. `disputes`: what is disputed and lost. Without an
 * amount, everything that was not returned is disputed.
 */
export function ownAttemptSums(
  { status, authorizedMinor, capturedMinor, refundedMinor }: Payment,
  disputes: Pick<AttemptSums, 'disputedMinor' | 'disputeLostMinor'>,
): AttemptSums {
  const leftMinor = capturedMinor - refundedMinor
  return {
    authorizedMinor,
    capturedMinor,
    refundedMinor,
    disputedMinor: status === 'disputed' ? Math.min(disputes.disputedMinor || leftMinor, leftMinor) : 0,
    disputeLostMinor: Math.min(disputes.disputeLostMinor, refundedMinor),
  }
}

/**
 * Tells a person of money that stays outside the payment's sums, and of a refund in place of a lost dispute of the same sum, once. The
 * provider may have listed one return of money in two ways, or there may have been two.
 */
export async function warnOfUnclearMoney(
  tx: Tx,
  { merchantId, id: paymentId }: LedgerAttempt,
  movements: readonly Movement[],
  createdAt: Date,
): Promise<void> {
  for (const { kind, amountMinor, currency } of movements) {
    if (kind !== 'unmatched' && kind !== 'over_returned') continue
    const what = kind === 'unmatched' ? 'came that the payment cannot take' : 'went back besides what it took'
    const detail = `${amountMinor} minor units of ${currency} ${what}: they are entered outside its sums`
    await insertNewWarning(tx, { merchantId, paymentId, detail, createdAt })
  }
  const regained = movements.find(({ kind }) => kind === 'dispute_regained')
  if (!regained || !movements.some(({ kind }) => kind === 'refunded')) return
  const { amountMinor, currency } = regained
  const detail = `${amountMinor} minor units of ${currency} that were lost in a dispute are a refund now: ask the provider whether both happened`
  await insertNewWarning(tx, { merchantId, paymentId, detail, createdAt })
}

export function entriesOfAttempt(entries: readonly EntryRecord[], attempt: number): EntryRecord[] {
  return entries.filter((entry) => entry.attempt === attempt)
}
