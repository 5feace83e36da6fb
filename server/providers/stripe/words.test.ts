/** Every word that Stripe's declarations know has a meaning here, and a word of tomorrow is never the harmless one. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWordReader } from '../driver/words.ts'
import type { Snapshot } from '../driver.ts'
import { DECLINE_CODES, meaningOf } from './declines.ts'
import { Charge, Dispute, Intent, Refund, Session } from './shapes.ts'
import { snapshotOf } from './snapshot.ts'
import {
  CHARGE_WORDS,
  DISPUTE_REASONS,
  DISPUTE_WORDS,
  INTENT_WORDS,
  PAID_WORDS,
  REFUND_REASONS,
  REFUND_WORDS,
  SESSION_WORDS,
} from './words.ts'

const RESOURCES = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..', 'esm', 'resources')

/** Returns the words of a type in the declarations, such as `type Status = 'a' | 'b'`, indented as the type is. */
function declared(file: string, type: string, indent = 4): string[] {
  const text = readFileSync(join(RESOURCES, `${file}.d.ts`), 'utf8')
  const line = text.split('\n').find((each) => each.startsWith(`${' '.repeat(indent)}type ${type} = `))
  const words = [...(line ?? '').matchAll(/'([^']+)'/g)].map(([, word]) => word ?? '')
  expect([file, type, words.length > 0]).toEqual([file, type, true])
  return words
}

/** Returns the words that the comment of a member lists. */
function documented(file: string, member: string): string[] {
  const text = readFileSync(join(RESOURCES, `${file}.d.ts`), 'utf8')
  const at = text.search(new RegExp(`\\n {4}${member}\\??: `))
  const comment = text.slice(text.lastIndexOf('/**', at), at)
  return [...comment.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word ?? '')
}

const without = (table: object, words: readonly string[]) =>
  words.filter((word) => !Object.hasOwn(table, word))

test('every word of the declarations has a meaning', () => {
  expect(without(DISPUTE_WORDS, declared('Disputes', 'Status'))).toEqual([])
  expect(without(DISPUTE_REASONS, documented('Disputes', 'reason'))).toEqual([])
  expect(without(INTENT_WORDS, declared('PaymentIntents', 'Status'))).toEqual([])
  expect(without(CHARGE_WORDS, declared('Charges', 'Status'))).toEqual([])
  expect(without(REFUND_WORDS, documented('Refunds', 'status'))).toEqual([])
  expect(without(REFUND_REASONS, declared('Refunds', 'Reason'))).toEqual([])
  expect(without(SESSION_WORDS, declared('Checkout/Sessions', 'Status'))).toEqual([])
  expect(without(PAID_WORDS, declared('Checkout/Sessions', 'PaymentStatus'))).toEqual([])
  const codes = declared('PaymentIntents', 'Code', 8)
  expect(codes.length).toBeGreaterThan(200)
  expect(without(DECLINE_CODES, codes)).toEqual([])
})

const AT = 1_800_000_000
type Changes = {
  session?: object | null
  intent?: object | null
  charge?: object
  refunds?: object[]
  disputes?: object[]
}

function seen({ session = {}, intent = {}, charge = {}, refunds = [], disputes = [] }: Changes): Snapshot {
  const of = <Shape>(shape: { parse(value: unknown): Shape }, base: object, changes: object) =>
    shape.parse({ ...base, ...changes })
  const ofCharge = {
    id: 'ch_1',
    amount: 1_900,
    amount_captured: 1_900,
    status: 'succeeded',
    captured: true,
    created: AT,
    disputed: disputes.length > 0,
  }
  const ofIntent = {
    id: 'pi_1',
    object: 'payment_intent',
    status: 'succeeded',
    amount: 1_900,
    amount_capturable: 0,
    amount_received: 1_900,
    currency: 'usd',
    metadata: {},
    latest_charge: of(Charge, ofCharge, charge),
  }
  const ofSession = {
    id: 'cs_1',
    object: 'checkout.session',
    status: 'complete',
    payment_status: 'paid',
    url: null,
    amount_total: 1_900,
    currency: 'usd',
    client_reference_id: 'reference',
    metadata: {},
    expires_at: AT,
    payment_intent: null,
  }
  const ofRefund = {
    amount: 500,
    status: 'succeeded',
    reason: null,
    created: AT,
    balance_transaction: 'txn',
    metadata: {},
  }
  const ofDispute = { amount: 1_900, currency: 'usd', status: 'needs_response', reason: 'fraudulent' }
  return snapshotOf({
    session: session && of(Session, ofSession, session),
    intent: intent && of(Intent, ofIntent, intent),
    refunds: refunds.map((each, index) => of(Refund, { id: `re_${index}`, ...ofRefund }, each)),
    disputes: disputes.map((each, index) => of(Dispute, { id: `dp_${index}`, ...ofDispute }, each)),
  })
}

const UNPAID = { amount_received: 0, latest_charge: null }
const words = (snapshot: Snapshot) => snapshot.unknownWords?.map(({ what, word }) => `${what}: ${word}`)

describe('a session that is complete and unpaid', () => {
  const open = [
    'requires_payment_method',
    'requires_confirmation',
    'requires_action',
    'processing',
    'a_word_of_tomorrow',
  ]

  test.each(open)('is under way with the intent %s', (status) => {
    const snapshot = seen({ session: { payment_status: 'unpaid' }, intent: { ...UNPAID, status } })
    expect(snapshot).toMatchObject({ order: 'reached', isUnderWay: true, capturedMinor: 0 })
    expect(words(snapshot)).toEqual(
      status === 'a_word_of_tomorrow' ? ['payment intent status: a_word_of_tomorrow'] : undefined,
    )
  })

  test('is under way without an intent, and declined once what the buyer should have paid elsewhere has failed', () => {
    expect(seen({ session: { payment_status: 'unpaid' }, intent: null })).toMatchObject({
      order: 'reached',
      isUnderWay: true,
    })
    const failed = { code: 'payment_intent_payment_attempt_expired' }
    const intent = { ...UNPAID, status: 'requires_payment_method', last_payment_error: failed }
    const snapshot = seen({ session: { payment_status: 'unpaid' }, intent })
    expect([snapshot.order, snapshot.isUnderWay]).toEqual(['declined', undefined])
  })
})

test('a canceled intent was voided if it has a charge that held money, and else it was never paid', () => {
  const canceled = { amount_received: 0, status: 'canceled' }
  const session = { payment_status: 'unpaid' }
  expect(seen({ session, intent: canceled }).order).toBe('voided')
  expect(seen({ session, intent: canceled, charge: { status: 'failed' } }).order).toBe('cancelled')
  expect(seen({ session, intent: { ...canceled, latest_charge: null } }).order).toBe('cancelled')
})

test('on an open page the buyer still has something to do', () => {
  for (const status of ['requires_confirmation', 'requires_action', 'processing']) {
    const snapshot = seen({
      session: { status: 'open', payment_status: 'unpaid' },
      intent: { ...UNPAID, status },
    })
    expect([status, snapshot.order, snapshot.isUnderWay]).toEqual([status, 'reached', undefined])
  }
})

describe('a word of tomorrow', () => {
  test('as the status of a session or an intent says nothing for sure', () => {
    const ofSession = seen({ session: { status: 'paused' } })
    expect([ofSession.order, words(ofSession)]).toEqual(['unclear', ['session status: paused']])
    const ofIntent = seen({ intent: { status: 'requires_thought' } })
    expect([ofIntent.order, words(ofIntent)]).toEqual([
      'unclear',
      ['payment intent status: requires_thought'],
    ])
  })

  test('as the status of a dispute is an open dispute', () => {
    const snapshot = seen({ disputes: [{ status: 'mediated' }] })
    expect(snapshot.dispute).toMatchObject({ amountMinor: 1_900, reason: 'fraudulent' })
    expect([snapshot.disputeLostMinor, words(snapshot)]).toEqual([undefined, ['dispute status: mediated']])
  })

  test('as the status of a refund keeps the amount from being refunded again', () => {
    const snapshot = seen({ refunds: [{ status: 'held' }] })
    expect(snapshot).toMatchObject({ refundedMinor: 0, refundPendingMinor: 500, order: 'completed' })
    expect(words(snapshot)).toEqual(['refund status: held'])
  })

  test('as a reason changes no money', () => {
    const snapshot = seen({
      refunds: [{ reason: 'goodwill' }],
      disputes: [{ reason: 'moon', status: 'won' }],
    })
    expect(snapshot).toMatchObject({ refundedMinor: 500, order: 'completed' })
    expect(snapshot.dispute).toBeUndefined()
    expect(words(snapshot)).toEqual(['refund reason: goodwill', 'dispute reason: moon'])
  })

  test('as a decline code is a soft decline, and is shown without what could be private', () => {
    const reader = createWordReader()
    expect(meaningOf('Jane <jane@example.com>', null, reader)).toMatchObject({ decline: 'soft' })
    expect(reader.unknown).toEqual([{ what: 'decline code', word: 'Jane??jane?example.com?' }])
  })
})

describe('a dispute', () => {
  const moved = (...amounts: number[]) => amounts.map((amount) => ({ amount, currency: 'usd' }))

  test('that was prevented has taken the money, without a refund', () => {
    for (const balance_transactions of [moved(-1_900), [], undefined]) {
      const snapshot = seen({ disputes: [{ status: 'prevented', balance_transactions }] })
      expect(snapshot).toMatchObject({ disputeLostMinor: 1_900, refundedMinor: 0 })
      expect([snapshot.dispute, snapshot.unknownWords]).toEqual([undefined, undefined])
    }
  })

  test('counts by what Stripe took and returned', () => {
    const lost = (status: string, ...amounts: number[]) =>
      seen({ disputes: [{ status, balance_transactions: moved(...amounts) }] }).disputeLostMinor ?? 0
    expect(lost('lost', -1_900)).toBe(1_900)
    expect(lost('lost', -1_900, 700)).toBe(1_200)
    expect(lost('won', -1_900, 1_900)).toBe(0)
    expect(lost('won', -1_900, 1_000)).toBe(900)
    expect(lost('warning_closed')).toBe(0)
    // Won, and not returned yet; an inquiry that has taken money.
    for (const status of ['won', 'warning_needs_response'])
      expect(seen({ disputes: [{ status, balance_transactions: moved(-1_900) }] }).dispute?.amountMinor).toBe(
        1_900,
      )
  })

  test('about everything after a refund takes what is left, unless Stripe shows that it took more', () => {
    const about = (balance_transactions: object[] | undefined) =>
      seen({ refunds: [{}], disputes: [{ status: 'lost', balance_transactions }] })
    expect(about(undefined)).toMatchObject({ refundedMinor: 500, disputeLostMinor: 1_400 })
    expect(about(moved(-1_400))).toMatchObject({ refundedMinor: 500, disputeLostMinor: 1_400 })
    expect(about(moved(-1_900))).toMatchObject({
      refundedMinor: 500,
      disputeLostMinor: 1_400,
      overReturnedMinor: 500,
    })
  })

  test('in another currency never counts as everything', () => {
    const elsewhere = { amount: 1_700, currency: 'eur' }
    const open = seen({ disputes: [elsewhere] })
    expect([open.dispute, open.lostElsewhere]).toEqual([undefined, undefined])
    expect(open.doubts).toEqual([expect.stringContaining('about 1700 minor units of EUR is open')])
    const lost = seen({ disputes: [{ ...elsewhere, status: 'lost' }] })
    expect(lost.disputeLostMinor).toBeUndefined()
    expect(lost.lostElsewhere).toEqual([{ currency: 'EUR', amountMinor: 1_700 }])
    const back = [
      { amount: -1_700, currency: 'eur' },
      { amount: 1_700, currency: 'eur' },
    ]
    const won = seen({ disputes: [{ ...elsewhere, status: 'won', balance_transactions: back }] })
    expect([won.lostElsewhere, won.doubts]).toEqual([undefined, undefined])
    // What Stripe took is in the payment's currency, so it can be compared.
    expect(
      seen({ disputes: [{ ...elsewhere, status: 'lost', balance_transactions: moved(-600) }] })
        .disputeLostMinor,
    ).toBe(600)
    // An account that is paid out in another currency: the share counts.
    const paidOut = {
      status: 'lost',
      balance_transactions: [
        { amount: -1_600, currency: 'eur' },
        { amount: 400, currency: 'eur' },
      ],
    }
    expect(seen({ disputes: [paidOut] }).disputeLostMinor).toBe(1_425)
  })
})
