/** How answers about orders are read, in versions 01 to 03: amounts count more than words, and nothing is guessed. */
import { describe, expect, test } from 'vitest'
import { OrderStatus } from '../rbs/wire.ts'
import type { OrderContext } from './order.ts'
import { snapshotOf } from './snapshot.ts'

const ONE: OrderContext = { steps: 'one', isFinal: true }
const TWO: OrderContext = { steps: 'two', isFinal: true }

function answerOf(orderStatus: number, changes: object = {}) {
  const always = { orderNumber: 'kassa1', actionCode: 0, amount: 190_000, currency: '051' }
  return OrderStatus.parse({ ...always, orderStatus, date: 1_796_000_000_000, ...changes })
}
const infoOf = (depositedAmount: number, refundedAmount: number, approvedAmount?: number) => ({
  paymentAmountInfo: {
    depositedAmount,
    refundedAmount,
    ...(approvedAmount !== undefined && { approvedAmount }),
  },
})
const sums = (answer: OrderStatus, known: OrderContext = ONE) => {
  const { order, authorizedMinor, capturedMinor, refundedMinor } = snapshotOf(answer, known)
  return [order, authorizedMinor, capturedMinor, refundedMinor]
}

describe('without amounts (versions 01 and 02)', () => {
  test('an order in one step is paid with its whole amount', () => {
    expect(sums(answerOf(2))).toEqual(['completed', 190_000, 190_000, 0])
  })
  test('a hold is of the whole amount, and a reversal has no money', () => {
    expect(sums(answerOf(1), TWO)).toEqual(['completed', 190_000, 0, 0])
    expect(sums(answerOf(3), TWO)).toEqual(['voided', 0, 0, 0])
  })
  test('how much was captured or refunded is not guessed', () => {
    expect(() => sums(answerOf(2), TWO)).toThrow('does not show how much')
    expect(() => sums(answerOf(4))).toThrow('does not show how much')
    expect(() => sums(answerOf(4), TWO)).toThrow('does not show how much')
  })
})

describe('with amounts (version 03)', () => {
  test('the poorest answer has only what is not zero', () => {
    const poor = { paymentAmountInfo: { depositedAmount: 190_000 } }
    expect(sums(answerOf(2, poor))).toEqual(['completed', 190_000, 190_000, 0])
    expect(sums(answerOf(1, { paymentAmountInfo: { approvedAmount: 190_000 } }), TWO)).toEqual([
      'completed',
      190_000,
      0,
      0,
    ])
  })

  test.each([
    ['the deposited amount falls', infoOf(150_000, 40_000)],
    ['the deposited amount stays', infoOf(190_000, 40_000)],
  ])('a part is refunded, and %s', (_name, info) => {
    expect(sums(answerOf(4, info))).toEqual(['completed', 190_000, 190_000, 40_000])
  })

  test.each([
    ['the deposited amount falls', infoOf(0, 190_000)],
    ['the deposited amount stays', infoOf(190_000, 190_000)],
    ['the deposited amount is left out', { paymentAmountInfo: { refundedAmount: 190_000 } }],
  ])('everything is refunded, and %s', (_name, info) => {
    expect(sums(answerOf(4, info))).toEqual(['completed', 190_000, 190_000, 190_000])
  })

  test('the word says captured, and the amounts say that a part is refunded', () => {
    expect(sums(answerOf(2, infoOf(150_000, 40_000)))).toEqual(['completed', 190_000, 190_000, 40_000])
  })

  test('a part is captured: what was taken before decides between two readings', () => {
    const info = infoOf(50_000, 20_000, 190_000)
    expect(sums(answerOf(4, info), { ...TWO, capturedMinor: 70_000 })).toEqual([
      'completed',
      190_000,
      70_000,
      20_000,
    ])
    expect(sums(answerOf(4, info), { ...TWO, capturedMinor: 50_000 })).toEqual([
      'completed',
      190_000,
      50_000,
      20_000,
    ])
    expect(() => sums(answerOf(4, info), TWO)).toThrow('read in two ways')
    expect(() => sums(answerOf(4, info), { ...TWO, capturedMinor: 60_000 })).toThrow('read in two ways')
  })

  test('only one reading is possible, also if nobody knows what was taken before', () => {
    expect(sums(answerOf(4, infoOf(10_000, 60_000, 190_000)), TWO)).toEqual([
      'completed',
      190_000,
      70_000,
      60_000,
    ])
    expect(sums(answerOf(4, infoOf(190_000, 60_000, 190_000)), TWO)).toEqual([
      'completed',
      190_000,
      190_000,
      60_000,
    ])
  })

  test('less than the amount is taken', () => {
    expect(sums(answerOf(2, infoOf(95_000, 0)))).toEqual(['completed', 95_000, 95_000, 0])
  })

  test('a reversed order with money left is not believed', () => {
    expect(sums(answerOf(3, infoOf(0, 0)))).toEqual(['voided', 0, 0, 0])
    expect(() => sums(answerOf(3, infoOf(190_000, 0)))).toThrow('reversed')
  })
})

describe('an order without money', () => {
  test.each([
    ['nobody has tried', 0, -100, 'waiting'],
    ['a card was refused, and tries are left', 0, 116, 'reached'],
    ['a try has begun', 0, -9_000, 'reached'],
    ['the buyer is at the bank of the card', 5, -9_000, 'reached'],
    ['the time is over', 6, -2_007, 'expired'],
    ['the time is over, as other banks write it', 6, 2_007, 'expired'],
    ['the buyer pressed Cancel', 6, -2_014, 'cancelled'],
    ['all tries are used', 6, -2_013, 'declined'],
    ['the bank suspects fraud', 6, 999, 'declined'],
  ])('%s', (_name, orderStatus, actionCode, order) => {
    expect(sums(answerOf(orderStatus, { actionCode }))).toEqual([order, 0, 0, 0])
  })

  test('elsewhere a decline is final only when the session is over', () => {
    const declined = answerOf(6, { actionCode: 116 })
    expect(sums(declined, { ...ONE, isFinal: false })).toEqual(['reached', 0, 0, 0])
    expect(snapshotOf(declined, ONE)).toMatchObject({
      order: 'declined',
      decline: 'soft',
      declineCategory: 'ask_another_card',
    })
  })

  test('nobody can pay a charge that was refused, so it is over with tries left', () => {
    const charge = { ...ONE, isCharge: true as const }
    expect(sums(answerOf(0, { actionCode: 101 }), charge)).toEqual(['declined', 0, 0, 0])
    // It has only begun, or nobody knows whether the bank of the card has had it.
    for (const actionCode of [-9_000, 0, -1, 777, 2_004, -2_007])
      expect([actionCode, sums(answerOf(0, { actionCode }), charge)]).toEqual([
        actionCode,
        ['reached', 0, 0, 0],
      ])
    expect(sums(answerOf(0, { actionCode: undefined }), charge)).toEqual(['waiting', 0, 0, 0])
  })

  test.each([
    [209, 'soft', 'ask_another_card'],
    [125, 'soft', 'ask_another_card'],
    [2_000, 'hard', 'fraud'],
    [-2_000, 'hard', 'fraud'],
    [2_002, 'soft', 'technical'],
    [2_006, 'soft', 'ask_bank'],
  ] as const)('action code %i is a %s decline: %s', (actionCode, decline, declineCategory) => {
    const snapshot = snapshotOf(answerOf(6, { actionCode }), ONE)
    expect(snapshot).toMatchObject({ order: 'declined', decline, declineCategory })
    expect(snapshot.unknownWords).toBeUndefined()
  })

  test('a word that the table does not have is unclear, and is told', () => {
    const snapshot = snapshotOf(answerOf(9), ONE)
    expect(snapshot).toMatchObject({ order: 'unclear', unknownWords: [{ what: 'order status', word: '9' }] })
    const declined = snapshotOf(answerOf(6, { actionCode: 777 }), ONE)
    expect(declined).toMatchObject({
      order: 'declined',
      unknownWords: [{ what: 'action code', word: '777' }],
    })
  })
})

describe('the rest of an answer', () => {
  test('no currency means roubles, which no payment has', () => {
    expect(() => snapshotOf(answerOf(2, { currency: undefined }), ONE)).toThrow('currency')
    expect(() => snapshotOf(answerOf(2, { currency: '643' }), ONE)).toThrow('currency')
    for (const [currency, code] of Object.entries({ '051': 'AMD', '51': 'AMD', '840': 'USD', '978': 'EUR' }))
      expect(snapshotOf(answerOf(2, { currency }), ONE).currency).toBe(code)
  })

  test('the day of a payment is that of its authorization, and of its registration where the bank tells no other', () => {
    expect(snapshotOf(answerOf(1), TWO).heldAt).toBe(new Date(1_796_000_000_000).toISOString())
    const authorized = answerOf(1, { authDateTime: 1_796_000_900_000 })
    expect(snapshotOf(authorized, TWO).heldAt).toBe(new Date(1_796_000_900_000).toISOString())
  })

  test('the card is named by its last digits, whatever the field is called', () => {
    const card = { kind: 'card', brand: 'visa', last4: '1111' }
    for (const name of ['pan', 'maskedPan'])
      expect(snapshotOf(answerOf(2, { cardAuthInfo: { [name]: '411111**1111' } }), ONE).instrument).toEqual(
        card,
      )
  })

  test('a chargeback that a bank shows disputes what is left', () => {
    const disputed = answerOf(4, { ...infoOf(150_000, 40_000), chargeback: true })
    expect(snapshotOf(disputed, ONE).dispute).toEqual({ amountMinor: 150_000 })
  })
})
