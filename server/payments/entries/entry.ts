/**
 * The ledger of a payment. Each movement of money is one entry, which is written once and never changes, and each sum that we show is
 * a sum of entries.
 * Rule: these formulas are those of the database's function entry_sums. A test holds the two together.
 */
import type { AttemptSums, EntryKind, EntryRecord, NewEntry } from '../../storage/payments/entries.ts'

export type EntryMoney = Pick<EntryRecord, 'kind' | 'amountMinor' | 'currency' | 'providerId'>

/** Returns the sum of one kind of entries. */
export function totalOfKind(
  entries: readonly Pick<EntryMoney, 'kind' | 'amountMinor'>[],
  of: EntryKind,
): number {
  return entries.reduce((sum, { kind, amountMinor }) => (kind === of ? sum + amountMinor : sum), 0)
}

/** Returns what of a hold is not released, also if its money was taken. */
export function sumHeld(entries: readonly EntryMoney[]): number {
  return totalOfKind(entries, 'held') - totalOfKind(entries, 'released')
}

/** Returns the sums of one attempt. Money that was taken without a hold counts as authorized too. */
export function computeSums(entries: readonly EntryMoney[]): AttemptSums {
  const sum = (kind: EntryKind) => totalOfKind(entries, kind)
  const capturedMinor = sum('taken') - sum('taken_back')
  const disputeLostMinor = sum('dispute_lost') - sum('dispute_regained')
  return {
    authorizedMinor: Math.max(sumHeld(entries), capturedMinor),
    capturedMinor,
    refundedMinor: sum('refunded') - sum('refund_failed') + disputeLostMinor,
    disputedMinor: sum('dispute_opened') - sum('dispute_won') - sum('dispute_lost'),
    disputeLostMinor,
  }
}

export function hasSameSums(one: AttemptSums, other: AttemptSums): boolean {
  return (
    one.authorizedMinor === other.authorizedMinor &&
    one.capturedMinor === other.capturedMinor &&
    one.refundedMinor === other.refundedMinor &&
    one.disputedMinor === other.disputedMinor &&
    one.disputeLostMinor === other.disputeLostMinor
  )
}

/** Returns what came in this currency that no payment has taken. */
export function sumUnmatched(entries: readonly EntryMoney[], currency: NewEntry['currency']): number {
  const own = entries.filter((entry) => entry.currency === currency)
  return totalOfKind(own, 'unmatched') - totalOfKind(own, 'matched')
}

/** Returns all that went back in this currency, whether the payment had taken it or not. */
export function sumReturned(entries: readonly EntryMoney[], currency: NewEntry['currency']): number {
  const own = entries.filter((entry) => entry.currency === currency)
  return totalOfKind(own, 'refunded') + totalOfKind(own, 'dispute_lost') + totalOfKind(own, 'over_returned')
}

/** Returns what came beyond the payment in this currency and has not gone back yet. */
export function sumSurplus(entries: readonly EntryMoney[], currency: NewEntry['currency']): number {
  const own = entries.filter((entry) => entry.currency === currency)
  return Math.max(0, sumUnmatched(own, currency) - totalOfKind(own, 'over_returned'))
}
