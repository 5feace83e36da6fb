/** Which payments decide an order by themselves, and what a person has to look at first. */
import { expect, test } from 'vitest'
import type { OrderPayment } from '../storage/orders/payments.ts'
import { decide, type ShopPrice } from './decide.ts'

const PAYMENT: OrderPayment = {
  merchantId: 'mer_1',
  paymentId: 'pay_1',
  reference: 'order-1',
  sequence: 3,
  status: 'paid',
  amountMinor: 1900,
  capturedMinor: 1900,
  refundedMinor: 0,
  currency: 'USD',
  buyer: null,
  takenBack: false,
  eventAt: new Date(0),
}
const PRICE: ShopPrice = {
  amountMinor: 1900,
  currency: 'USD',
  title: 'Tea',
  productId: 'tea',
  quantity: 1,
  isOffered: true,
}
const UNDECIDED = { decision: null, paymentId: 'pay_1' } as const
const first = (payment: Partial<OrderPayment>, price: Partial<ShopPrice> = {}) =>
  decide({ ...PAYMENT, ...payment }, { ...PRICE, ...price }, UNDECIDED)

test('a payment that is as the shop asked delivers', () => {
  expect(first({})).toEqual({ kind: 'deliver', why: null, news: 'sale' })
})

test.each([
  ['another currency with the same number', { currency: 'AMD' }, {}, 'other_amount'],
  ['another price', {}, { amountMinor: 1901 }, 'other_amount'],
  ['a capture of a part', { capturedMinor: 1899 }, {}, 'part_captured'],
  ['a capture of more than was asked', { capturedMinor: 1901 }, {}, 'part_captured'],
  ['a refund of a part', { status: 'partially_refunded', refundedMinor: 1 }, {}, 'part_returned'],
  ['money that was taken back once', { takenBack: true }, {}, 'taken_back'],
  ['a product that is not sold any more', {}, { isOffered: false }, 'not_offered'],
] as const)('%s asks a person', (_, payment, price, why) => {
  expect(first(payment, price)).toEqual({ kind: 'ask', why, news: 'case' })
})

test('a product that the shop does not have asks a person', () => {
  expect(decide(PAYMENT, null, UNDECIDED)).toMatchObject({ kind: 'ask', why: 'not_offered' })
})

test('a second payment of a decided order asks a person, and the same one decides nothing again', () => {
  const decided = { decision: 'deliver', paymentId: 'pay_1' } as const
  expect(decide(PAYMENT, PRICE, decided)).toMatchObject({ kind: 'note', why: null })
  expect(decide({ ...PAYMENT, paymentId: 'pay_2' }, PRICE, decided)).toEqual({
    kind: 'ask',
    why: 'paid_twice',
    news: 'case',
  })
})

test.each(['created', 'pending_payment', 'authorized', 'failed', 'status_unknown', 'disputed'] as const)(
  'a payment that is %s delivers nothing',
  (status) => {
    expect(first({ status }).kind).toBe('note')
  },
)
