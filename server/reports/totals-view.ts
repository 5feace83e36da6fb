/** Totals as JSON. */
import type { OpenMoney, Totals } from './totals.ts'

/** A sum that a JSON number cannot hold exactly is a text. */
const minor = (sum: bigint) => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum))

export function presentTotals(totals: Totals) {
  const { merchantId, accountId, currency, timeZone, period, entries } = totals
  return {
    period,
    timeZone,
    merchantId,
    accountId,
    currency,
    takenMinor: minor(totals.taken),
    givenBackMinor: minor(totals.givenBack),
    lostMinor: minor(totals.lost),
    disputedMinor: minor(totals.disputed),
    heldMinor: minor(totals.held),
    releasedMinor: minor(totals.released),
    unmatchedMinor: minor(totals.unmatched),
    overReturnedMinor: minor(totals.overReturned),
    feeMinor: minor(totals.fees),
    takings: totals.takenAttempts,
    takingsWithFee: totals.takenAttemptsWithFee,
    entries,
  }
}

export function presentOpenMoney({ merchantId, accountId, currency, held, underWay, disputed }: OpenMoney) {
  return {
    merchantId,
    accountId,
    currency,
    heldMinor: minor(held),
    underWayMinor: minor(underWay),
    disputedMinor: minor(disputed),
  }
}
