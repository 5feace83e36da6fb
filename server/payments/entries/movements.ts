/**
 * Turns what a provider says into what happened since the last entries: by the provider's own ids where it names a movement, and by
 * sums where it does not. This file reads and writes nothing.
 * Rule: the same answer again makes no entry, and the entries always add up to the sums that are stored.
 */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { NamedRefund } from '../../providers/driver.ts'
import type { SaidOfAttempt } from '../../storage/payments/attempt-orders.ts'
import type { AttemptSums, EntryKind } from '../../storage/payments/entries.ts'
import { type Booked, heldOf, returnedOf, sumsOf, total, unmatchedOf } from './entry.ts'

export type Movement = Booked & { movedAt: Date | null }

/**
 * All that an order has brought and given back by the provider's answer, in an order's own currency. What the book does not have of
 * it after the answer was applied is entered as `unmatched` and `over_returned`.
 */
export type Outside = { currency: CurrencyCode; cameMinor: number; returnedMinor: number }

/** What an answer says of its movements besides the sums. */
export type Told = {
  refunds?: NamedRefund[] | undefined
  /** The provider's id of the money that it holds or took, and when it took it. */
  transactionId?: string | undefined
  /** The id of what went back besides what was taken. */
  overReturnId?: string | undefined
  takenAt?: string | undefined
  outside?: Outside | undefined
  /** What disputes returned in other currencies. */
  lostElsewhere?: { currency: CurrencyCode; amountMinor: number }[] | undefined
}

/** What an answer says of an attempt. `seen`: all its money by the answer. */
export type Said = SaidOfAttempt & {
  told: Told
  seen?: Outside
  /** What told us, if it was not an answer to our question. */
  proof?: string
}

type Book = {
  readonly known: readonly Booked[]
  readonly currency: CurrencyCode
  readonly added: Movement[]
}

/**
 * Returns the entries that are missing. `known`: all entries of the attempt. `target`: the attempt's sums from now on; null if they
 * stay as they are.
 */
export function listMovements(
  known: readonly Booked[],
  currency: CurrencyCode,
  target: AttemptSums | null,
  told: Told,
): Movement[] {
  const book: Book = { known, currency, added: [] }
  if (target) {
    addMatched(book, target)
    addTaken(book, target, told)
    addRefunds(book, target.refundedMinor - target.disputeLostMinor, told.refunds ?? [])
    addDisputes(book, target)
  }
  if (told.outside) addOutside(book, told.outside, told)
  for (const { currency, amountMinor } of told.lostElsewhere ?? []) {
    const knownMinor = returnedOf(
      all(book).filter((entry) => entry.currency === currency),
      currency,
    )
    add(book, 'over_returned', amountMinor - knownMinor, { currency })
  }
  return book.added
}

type Details = { id?: string | undefined; at?: string | undefined; currency?: CurrencyCode }

/** An id stands once for each kind. If the provider uses it for more money, that money has an entry without it. */
function add(book: Book, kind: EntryKind, amountMinor: number, { id, at, currency }: Details = {}): void {
  if (amountMinor <= 0) return
  const isUsed = all(book).some((entry) => entry.kind === kind && entry.providerId === id)
  book.added.push({
    kind,
    amountMinor,
    currency: currency ?? book.currency,
    providerId: id === undefined || isUsed ? null : id,
    movedAt: at === undefined ? null : new Date(at),
  })
}

const all = ({ known, added }: Book): Booked[] => [...known, ...added]

/** Money that no payment could take until now is not counted twice. */
function addMatched(book: Book, target: AttemptSums): void {
  const risenMinor = target.authorizedMinor - sumsOf(book.known).authorizedMinor
  add(book, 'matched', Math.min(risenMinor, unmatchedOf(book.known, book.currency)))
}

function addTaken(book: Book, target: AttemptSums, { transactionId: id, takenAt }: Told): void {
  const heldMinor = heldOf(book.known)
  // A hold whose money was taken stays in the book, because the taking does not release it.
  const isTaken = target.authorizedMinor === target.capturedMinor
  const stillHeldMinor = isTaken ? Math.min(heldMinor, target.capturedMinor) : target.authorizedMinor
  const takenMinor = target.capturedMinor - sumsOf(book.known).capturedMinor
  add(book, 'held', stillHeldMinor - heldMinor, { id })
  add(book, 'taken', takenMinor, { id, at: takenAt })
  add(book, 'taken_back', -takenMinor)
  add(book, 'released', heldMinor - stillHeldMinor)
}

const namesOf = ({ id, key }: NamedRefund) => [id, key].filter((name) => name !== undefined)

function find(book: Book, kind: EntryKind, refund: NamedRefund): Booked | undefined {
  const names = namesOf(refund)
  return all(book).find(
    (entry) => entry.kind === kind && entry.providerId !== null && names.includes(entry.providerId),
  )
}

/** `targetMinor`: what refunds have returned in all. A list may be later or earlier than this sum, and then the sum counts. */
function addRefunds(book: Book, targetMinor: number, refunds: readonly NamedRefund[]): void {
  const listed = refunds.filter((refund) => namesOf(refund).length > 0)
  const done = listed.filter(({ state }) => state === 'done')
  const isDone = (refund: NamedRefund) => done.some((each) => namesOf(each)[0] === namesOf(refund)[0])
  const failing = new Map<string, number>()
  for (const refund of listed.filter((each) => each.state === 'failed' && !isDone(each))) {
    const entry = find(book, 'refunded', refund)
    if (entry?.providerId && !find(book, 'refund_failed', refund))
      failing.set(entry.providerId, entry.amountMinor)
  }
  const returned = () => total(all(book), 'refunded') - total(all(book), 'refund_failed')
  let failedMinor = [...failing.values()].reduce((sum, minor) => sum + minor, 0)
  for (const refund of done)
    if (!find(book, 'refunded', refund) && returned() - failedMinor + refund.amountMinor <= targetMinor)
      add(book, 'refunded', refund.amountMinor, { id: namesOf(refund)[0] })
  // The list says that a refund failed, and the sum still counts it. It is entered as failed when the sum has fallen.
  for (const [id, minor] of [...failing].reverse()) {
    if (returned() - failedMinor + minor > targetMinor) continue
    failing.delete(id)
    failedMinor -= minor
  }
  for (const [id, minor] of failing) add(book, 'refund_failed', minor, { id })
  const missingMinor = targetMinor - returned()
  add(book, 'refunded', missingMinor)
  add(book, 'refund_failed', -missingMinor)
}

/** Money that was lost in a dispute counts as disputed before, even if no answer has shown the dispute. */
function addDisputes(book: Book, target: AttemptSums): void {
  const before = sumsOf(book.known)
  const lostMinor = target.disputeLostMinor - before.disputeLostMinor
  const openedMinor = target.disputedMinor - before.disputedMinor + Math.max(lostMinor, 0)
  add(book, 'dispute_opened', openedMinor)
  add(book, 'dispute_lost', lostMinor)
  add(book, 'dispute_regained', -lostMinor)
  add(book, 'dispute_won', -openedMinor)
}

/** Compares with all that ever came and went, so that an answer which is older than the book enters nothing. */
function addOutside(
  book: Book,
  { currency, cameMinor, returnedMinor }: Outside,
  { transactionId, overReturnId }: Told,
): void {
  const entries = all(book).filter((entry) => entry.currency === currency)
  const sum = (kind: EntryKind) => total(entries, kind)
  const came = Math.max(sum('held'), sum('taken')) + unmatchedOf(entries, currency)
  const returned = returnedOf(entries, currency)
  add(book, 'unmatched', cameMinor - came, { id: transactionId, currency })
  add(book, 'over_returned', returnedMinor - returned, { id: overReturnId, currency })
}
