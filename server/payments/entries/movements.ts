/**
 * Turns what a provider says into what happened since the last entries: by the provider's own ids where it names a movement, and by
 * sums where it does not. This file reads and writes nothing.
 * Rule: the same answer again makes no entry, and the entries always add up to the sums that are stored.
 */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { NamedRefund } from '../../providers/driver.ts'
import type { AttemptUpdate } from '../../storage/payments/attempt-orders.ts'
import type { AttemptSums, EntryKind } from '../../storage/payments/entries.ts'
import { computeSums, type EntryMoney, sumHeld, sumReturned, sumUnmatched, totalOfKind } from './entry.ts'

export type Movement = EntryMoney & { movedAt: Date | null }

/**
 * All that an order has brought and given back by the provider's answer, in an order's own currency. What the ledger does not have of
 * it after the answer was applied is recorded as `unmatched` and `over_returned`.
 */
export type OrderTotals = { currency: CurrencyCode; cameMinor: number; returnedMinor: number }

/** What an answer says about its movements besides the sums. */
export type ReportedDetails = {
  refunds?: NamedRefund[] | undefined
  /** The provider's id of the money that it holds or took, and when it took it. */
  transactionId?: string | undefined
  /** The id of what went back besides what was taken. */
  overReturnId?: string | undefined
  takenAt?: string | undefined
  outside?: OrderTotals | undefined
  /** What disputes returned in other currencies. */
  lostElsewhere?: { currency: CurrencyCode; amountMinor: number }[] | undefined
}

/** What an answer says about an attempt. `totals`: all its money by the answer. */
export type AttemptReport = AttemptUpdate & {
  details: ReportedDetails
  totals?: OrderTotals
  /** What proved the movement, if it was not an answer to our question. */
  provedBy?: string
}

type LedgerDraft = {
  readonly known: readonly EntryMoney[]
  readonly currency: CurrencyCode
  readonly added: Movement[]
}

/**
 * Returns the entries that are missing. `known`: all entries of the attempt. `target`: the attempt's sums from now on; null if they
 * stay as they are.
 */
export function listMovements(
  known: readonly EntryMoney[],
  currency: CurrencyCode,
  target: AttemptSums | null,
  details: ReportedDetails,
): Movement[] {
  const draft: LedgerDraft = { known, currency, added: [] }
  if (target) {
    addMatched(draft, target)
    addTaken(draft, target, details)
    addRefunds(draft, target.refundedMinor - target.disputeLostMinor, details.refunds ?? [])
    addDisputes(draft, target)
  }
  if (details.outside) addBeyondPayment(draft, details.outside, details)
  for (const { currency, amountMinor } of details.lostElsewhere ?? []) {
    const knownMinor = sumReturned(
      allEntries(draft).filter((entry) => entry.currency === currency),
      currency,
    )
    addMovement(draft, 'over_returned', amountMinor - knownMinor, { currency })
  }
  return draft.added
}

type Details = { id?: string | undefined; at?: string | undefined; currency?: CurrencyCode }

/** An id is stored once for each kind. If the provider uses it for more money, the entry of that money has no id. */
function addMovement(
  draft: LedgerDraft,
  kind: EntryKind,
  amountMinor: number,
  { id, at, currency }: Details = {},
): void {
  if (amountMinor <= 0) return
  const isUsed = allEntries(draft).some((entry) => entry.kind === kind && entry.providerId === id)
  draft.added.push({
    kind,
    amountMinor,
    currency: currency ?? draft.currency,
    providerId: id === undefined || isUsed ? null : id,
    movedAt: at === undefined ? null : new Date(at),
  })
}

const allEntries = ({ known, added }: LedgerDraft): EntryMoney[] => [...known, ...added]

/** Money that no payment could take until now is not counted twice. */
function addMatched(draft: LedgerDraft, target: AttemptSums): void {
  const risenMinor = target.authorizedMinor - computeSums(draft.known).authorizedMinor
  addMovement(draft, 'matched', Math.min(risenMinor, sumUnmatched(draft.known, draft.currency)))
}

function addTaken(
  draft: LedgerDraft,
  target: AttemptSums,
  { transactionId: id, takenAt }: ReportedDetails,
): void {
  const heldMinor = sumHeld(draft.known)
  // A hold whose money was taken stays in the ledger, because the taking does not release it.
  const isTaken = target.authorizedMinor === target.capturedMinor
  const stillHeldMinor = isTaken ? Math.min(heldMinor, target.capturedMinor) : target.authorizedMinor
  const takenMinor = target.capturedMinor - computeSums(draft.known).capturedMinor
  addMovement(draft, 'held', stillHeldMinor - heldMinor, { id })
  addMovement(draft, 'taken', takenMinor, { id, at: takenAt })
  addMovement(draft, 'taken_back', -takenMinor)
  addMovement(draft, 'released', heldMinor - stillHeldMinor)
}

const providerNames = ({ id, key }: NamedRefund) => [id, key].filter((name) => name !== undefined)

function findEntry(draft: LedgerDraft, kind: EntryKind, refund: NamedRefund): EntryMoney | undefined {
  const names = providerNames(refund)
  return allEntries(draft).find(
    (entry) => entry.kind === kind && entry.providerId !== null && names.includes(entry.providerId),
  )
}

/** `targetMinor`: what refunds have returned in all. A list may be later or earlier than this sum, and then the sum counts. */
function addRefunds(draft: LedgerDraft, targetMinor: number, refunds: readonly NamedRefund[]): void {
  const listed = refunds.filter((refund) => providerNames(refund).length > 0)
  const done = listed.filter(({ state }) => state === 'done')
  const isDone = (refund: NamedRefund) =>
    done.some((each) => providerNames(each)[0] === providerNames(refund)[0])
  const failing = new Map<string, number>()
  for (const refund of listed.filter((each) => each.state === 'failed' && !isDone(each))) {
    const entry = findEntry(draft, 'refunded', refund)
    if (entry?.providerId && !findEntry(draft, 'refund_failed', refund))
      failing.set(entry.providerId, entry.amountMinor)
  }
  const returned = () =>
    totalOfKind(allEntries(draft), 'refunded') - totalOfKind(allEntries(draft), 'refund_failed')
  let failedMinor = [...failing.values()].reduce((sum, minor) => sum + minor, 0)
  for (const refund of done)
    if (!findEntry(draft, 'refunded', refund) && returned() - failedMinor + refund.amountMinor <= targetMinor)
      addMovement(draft, 'refunded', refund.amountMinor, { id: providerNames(refund)[0] })
  // The list says that a refund failed, and the sum still counts it. It is recorded as failed when the sum has fallen.
  for (const [id, minor] of [...failing].reverse()) {
    if (returned() - failedMinor + minor > targetMinor) continue
    failing.delete(id)
    failedMinor -= minor
  }
  for (const [id, minor] of failing) addMovement(draft, 'refund_failed', minor, { id })
  const missingMinor = targetMinor - returned()
  addMovement(draft, 'refunded', missingMinor)
  addMovement(draft, 'refund_failed', -missingMinor)
}

/** Money that was lost in a dispute counts as disputed before, even if no answer has shown the dispute. */
function addDisputes(draft: LedgerDraft, target: AttemptSums): void {
  const before = computeSums(draft.known)
  const lostMinor = target.disputeLostMinor - before.disputeLostMinor
  const openedMinor = target.disputedMinor - before.disputedMinor + Math.max(lostMinor, 0)
  addMovement(draft, 'dispute_opened', openedMinor)
  addMovement(draft, 'dispute_lost', lostMinor)
  addMovement(draft, 'dispute_regained', -lostMinor)
  addMovement(draft, 'dispute_won', -openedMinor)
}

/** Compares with all that ever came and went, so that an answer which is older than the ledger records nothing. */
function addBeyondPayment(
  draft: LedgerDraft,
  { currency, cameMinor, returnedMinor }: OrderTotals,
  { transactionId, overReturnId }: ReportedDetails,
): void {
  const entries = allEntries(draft).filter((entry) => entry.currency === currency)
  const sum = (kind: EntryKind) => totalOfKind(entries, kind)
  const came = Math.max(sum('held'), sum('taken')) + sumUnmatched(entries, currency)
  const returned = sumReturned(entries, currency)
  addMovement(draft, 'unmatched', cameMinor - came, { id: transactionId, currency })
  addMovement(draft, 'over_returned', returnedMinor - returned, { id: overReturnId, currency })
}
