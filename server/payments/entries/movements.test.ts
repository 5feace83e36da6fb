/** The ledger as a pure function: whatever a provider says, in whatever order, the entries add up, and nothing is recorded twice. */
import { describe, expect, test } from 'vitest'
import type { NamedRefund } from '../../providers/driver.ts'
import type { AttemptSums } from '../../storage/payments/entries.ts'
import { type Random, seededRandom } from '../../testing/random.ts'
import { computeSums, type EntryMoney, sumUnmatched } from './entry.ts'
import { listMovements, type ReportedDetails } from './movements.ts'

const NONE: AttemptSums = {
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  disputedMinor: 0,
  disputeLostMinor: 0,
}
const PAID = { ...NONE, authorizedMinor: 1000, capturedMinor: 1000 }

/** Enters these answers one after another. Returns the entries as texts: kind, amount and id. */
function book(...answers: [AttemptSums | null, ReportedDetails?][]): string[] {
  const entries: EntryMoney[] = []
  for (const [target, details = {}] of answers)
    entries.push(...listMovements(entries, 'USD', target, details))
  return entries.map(({ kind, amountMinor, providerId }) =>
    [kind, amountMinor, providerId].filter((part) => part !== null).join(' '),
  )
}

const refund = (id: string, amountMinor: number, state: NamedRefund['state'] = 'done'): NamedRefund => ({
  id,
  amountMinor,
  state,
})

describe('what happened since the last entries', () => {
  test('a hold, a capture of a part and a void', () => {
    expect(book([{ ...NONE, authorizedMinor: 1000 }], [{ ...PAID, capturedMinor: 600 }], [NONE])).toEqual([
      'held 1000',
      'taken 600',
      'taken_back 600',
      'released 1000',
    ])
  })

  test('money that is taken at once was never held', () => {
    expect(book([PAID, { transactionId: 'cap-1', takenAt: '2026-01-01T00:00:00Z' }])).toEqual([
      'taken 1000 cap-1',
    ])
  })

  test('one refund that fails in the same answer in which another appears is seen by their ids', () => {
    expect(
      book(
        [PAID],
        [{ ...PAID, refundedMinor: 300 }, { refunds: [refund('a', 300)] }],
        [{ ...PAID, refundedMinor: 300 }, { refunds: [refund('a', 300, 'failed'), refund('b', 300)] }],
      ),
    ).toEqual(['taken 1000', 'refunded 300 a', 'refunded 300 b', 'refund_failed 300 a'])
  })

  test('a refund that fails while the sum still counts it is entered as failed when the sum falls', () => {
    const failed = { refunds: [refund('a', 300, 'failed')] }
    const before: [AttemptSums, ReportedDetails?][] = [
      [PAID],
      [{ ...PAID, refundedMinor: 300 }, { refunds: [refund('a', 300)] }],
      [{ ...PAID, refundedMinor: 300 }, failed],
    ]
    expect(book(...before)).toEqual(['taken 1000', 'refunded 300 a'])
    expect(book(...before, [PAID, failed])).toEqual(['taken 1000', 'refunded 300 a', 'refund_failed 300 a'])
  })

  test('a dispute that is lost without having been seen, and that is won after that', () => {
    const lost = { ...PAID, refundedMinor: 400, disputeLostMinor: 400 }
    expect(book([PAID], [lost], [PAID])).toEqual([
      'taken 1000',
      'dispute_opened 400',
      'dispute_lost 400',
      'dispute_regained 400',
    ])
    const open = { ...PAID, disputedMinor: 400 }
    expect(book([PAID], [open], [PAID])).toEqual(['taken 1000', 'dispute_opened 400', 'dispute_won 400'])
  })

  test('money of another currency, and more than the payment has, stays outside the sums, and is entered once', () => {
    const more: [null, ReportedDetails] = [
      null,
      { outside: { currency: 'AMD', cameMinor: 500, returnedMinor: 0 } },
    ]
    expect(book(more, more)).toEqual(['unmatched 500'])
    const over: [AttemptSums, ReportedDetails] = [
      { ...PAID, refundedMinor: 1000 },
      { outside: { currency: 'USD', cameMinor: 1000, returnedMinor: 1300 } },
    ]
    expect(book([PAID], over, over)).toEqual(['taken 1000', 'refunded 1000', 'over_returned 300'])
  })

  test('unmatched money that becomes the payment’s is not counted twice', () => {
    const late: [null, ReportedDetails] = [
      null,
      { outside: { currency: 'USD', cameMinor: 1000, returnedMinor: 0 } },
    ]
    expect(book(late, [PAID])).toEqual(['unmatched 1000', 'matched 1000', 'taken 1000'])
  })

  test('an answer that is older than the book enters nothing', () => {
    const held = { currency: 'USD', cameMinor: 1000, returnedMinor: 0 } as const
    expect(book([PAID], [NONE], [null, { outside: held }])).toEqual(['taken 1000', 'taken_back 1000'])
  })
})

/** A random answer: sums that a payment may have, and refunds of which some are named. */
function randomAnswer(random: Random, refunds: NamedRefund[]): [AttemptSums, ReportedDetails] {
  const capturedMinor = random(0, 3) === 0 ? 0 : random(0, 1001)
  for (const each of refunds) if (random(0, 4) === 0) each.state = random(0, 2) === 0 ? 'failed' : 'done'
  if (random(0, 2) === 0) refunds.push(refund(`re-${refunds.length}`, random(1, 300)))
  const named = refunds.reduce((sum, { state, amountMinor }) => sum + (state === 'done' ? amountMinor : 0), 0)
  const returnedMinor = Math.min(capturedMinor, random(0, 3) === 0 ? random(0, 1001) : named)
  const disputeLostMinor = random(0, 3) === 0 ? random(0, capturedMinor - returnedMinor + 1) : 0
  const left = capturedMinor - returnedMinor - disputeLostMinor
  const target = {
    authorizedMinor: Math.max(capturedMinor, random(0, 1001)),
    capturedMinor,
    refundedMinor: returnedMinor + disputeLostMinor,
    disputedMinor: random(0, 2) === 0 ? random(0, left + 1) : 0,
    disputeLostMinor,
  }
  const details = {
    ...(random(0, 3) > 0 && { refunds: refunds.map((each) => ({ ...each })) }),
    ...(random(0, 2) === 0 && { transactionId: `tx-${random(0, 2)}` }),
    ...(random(0, 4) === 0 && {
      outside: { currency: 'USD', cameMinor: random(0, 3000), returnedMinor: random(0, 3000) } as const,
    }),
  }
  return [target, details]
}

test('of 100 random histories, every answer leaves the entries equal to its sums, and the same answer again enters nothing', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed)
    const entries: EntryMoney[] = []
    const refunds: NamedRefund[] = []
    for (let step = 0; step < 12; step++) {
      const [target, details] = randomAnswer(random, refunds)
      const added = listMovements(entries, 'USD', target, details)
      entries.push(...added)
      expect([seed, step, computeSums(entries)]).toEqual([seed, step, target])
      expect([seed, step, listMovements(entries, 'USD', target, details)]).toEqual([seed, step, []])
      expect(added.every(({ amountMinor }) => amountMinor > 0)).toBe(true)
      expect(sumUnmatched(entries, 'USD')).toBeGreaterThanOrEqual(0)
      const names = entries.filter(({ providerId }) => providerId !== null)
      expect(new Set(names.map(({ kind, providerId }) => `${kind} ${providerId}`)).size).toBe(names.length)
    }
  }
})
