/** The comparison of one attempt, without a database: whatever a provider writes in several lines, equal sums are no difference. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptEntry } from '../storage/reports/findings.ts'
import type { KnownLine } from '../storage/reports/statements.ts'
import { compareAttempt } from './compare.ts'

const ATTEMPT = { merchantId: 'mer_1', paymentId: 'pay_1', number: 1 }
const at = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours))
const ALWAYS = { from: at(-1_000), until: at(1_000) }

let numbers = 0
function entry(
  kind: AttemptEntry['kind'],
  amountMinor: number,
  more: Partial<AttemptEntry> = {},
): AttemptEntry {
  const base = {
    ...ATTEMPT,
    entry: ++numbers,
    currency: 'USD',
    providerId: null,
    movedAt: null,
    createdAt: at(0),
  }
  return { ...base, kind, amountMinor, ...more }
}
function line(kind: KnownLine['kind'], amountMinor: number, more: Partial<KnownLine> = {}): KnownLine {
  return {
    lineId: `line-${++numbers}`,
    at: at(0),
    kind,
    currency: 'USD',
    amountMinor,
    feeMinor: 0,
    feeCurrency: 'USD',
    movementNames: [],
    payoutId: null,
    merchantId: 'mer_1',
    paymentId: 'pay_1',
    attempt: 1,
    ...more,
  }
}
const kinds = (lines: KnownLine[], entries: AttemptEntry[], complete = ALWAYS) =>
  compareAttempt(ATTEMPT, { lines, entries }, complete).findings.map(
    ({ kind, side, oursMinor, theirsMinor }) => [kind, side, oursMinor, theirsMinor],
  )

describe('no difference', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 6 })
  const split = (sums: number[], cuts: number[]) =>
    sums.flatMap((sum, at) => {
      const first = 1 + ((cuts[at % cuts.length] ?? 0) % sum)
      return first < sum ? [first, sum - first] : [sum]
    })

  test('of the same sums, however each side cuts them', () => {
    fc.assert(
      fc.property(amounts, amounts, amounts, (sums, ours, theirs) => {
        const entries = split(sums, ours).map((sum) => entry('taken', sum))
        const lines = split(sums, theirs).map((sum) => line('taken', sum))
        expect(kinds(lines, entries)).toEqual([])
      }),
    )
  })

  test('of a capture of a part, which Stripe writes as the whole and its reversal', () => {
    const entries = [entry('held', 1000), entry('taken', 600), entry('released', 400)]
    expect(kinds([line('taken', 1000), line('taken', -400)], entries)).toEqual([])
  })

  test('of a lost dispute, whose money went when it was opened', () => {
    const entries = [entry('taken', 1000), entry('dispute_opened', 1000), entry('dispute_lost', 1000)]
    expect(kinds([line('taken', 1000), line('disputed', 1000)], entries)).toEqual([])
    const won = [entry('taken', 1000), entry('dispute_opened', 1000), entry('dispute_won', 1000)]
    expect(kinds([line('taken', 1000), line('disputed', 1000), line('disputed', -1000)], won)).toEqual([])
  })

  test('of money that no payment could take, and of a refund that failed after all', () => {
    expect(kinds([line('taken', 700)], [entry('unmatched', 700)])).toEqual([])
    const back = [entry('taken', 700), entry('refunded', 200), entry('refund_failed', 200)]
    expect(kinds([line('taken', 700)], back)).toEqual([])
  })
})

describe('a difference', () => {
  test('changes with each amount that is changed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e6 }), (sum, more) => {
        expect(kinds([line('taken', sum + more)], [entry('taken', sum)])).toEqual([
          ['differing', 'taken', sum, sum + more],
        ])
      }),
    )
  })

  test('names only what is left when equal movements are put together', () => {
    const entries = [
      entry('taken', 900),
      entry('refunded', 100),
      entry('refunded', 200, { providerId: 're_2' }),
    ]
    const lines = [
      line('taken', 900),
      line('returned', 100),
      line('returned', 250, { movementNames: ['re_2'] }),
    ]
    expect(kinds(lines, entries)).toEqual([['differing', 'returned', 200, 250]])
  })

  test('is missing there only where the statements are complete', () => {
    const entries = [entry('taken', 900, { createdAt: at(5) })]
    expect(kinds([], entries)).toEqual([['missing_there', 'taken', 900, 0]])
    expect(kinds([], entries, { from: at(6), until: at(9) })).toEqual([])
    // The provider's own time counts too.
    const late = [entry('taken', 900, { createdAt: at(7), movedAt: at(5) })]
    expect(kinds([], late, { from: at(6), until: at(9) })).toEqual([])
  })

  test('of a second line for the same money, and of another currency', () => {
    expect(kinds([line('taken', 900), line('taken', 900)], [entry('taken', 900)])).toEqual([
      ['missing_here', 'taken', 0, 900],
    ])
    expect(kinds([line('taken', 900, { currency: 'EUR' })], [entry('taken', 900)])).toEqual([
      ['differing', 'taken', 900, 900],
    ])
  })
})
