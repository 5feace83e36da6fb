/** The pages of the order book in the gallery: an order in several states, the list of a day, and the test. */
import type { ShownOrder } from '../../operator/orders/orders.ts'
import { listPage, orderPage, testedPage, testPage } from '../../pages/orders/order-page.ts'
import { AMOUNTS, brandOf, facts, MOMENT, type Show, type Texts } from './gallery-facts.ts'

const AT = new Date(MOMENT)

function orderOf({
  merchantOrderId: reference,
  description,
  merchantName: name,
  address,
}: Texts): ShownOrder {
  const paymentId = 'pay_01kgwzxq6n4t8v0c2f5h7j9m1p'
  const ids = { merchantId: 'mer_1', paymentId, reference }
  const money = {
    ...ids,
    ...AMOUNTS,
    capturedMinor: AMOUNTS.amountMinor,
    refundedMinor: 0,
    eventAt: AT,
    sequence: 3,
    status: 'paid' as const,
    takenBack: false,
    sells: 'product' as const,
    buyer: {
      customer: { name, phone: '+374 10 123456' },
      metadata: { address, note: description, cup: name },
    },
  }
  const change = { merchantId: 'mer_1', orderId: 'ord_1', at: AT, sequence: null, status: null, why: null }
  const person = { ...change, paymentId: null, amountMinor: null, by: name, news: null, mailId: null }
  return {
    ...ids,
    id: 'ord_1',
    number: '5h7j9m1p',
    title: description,
    productId: 'tea',
    quantity: 2,

    decision: 'deliver',
    question: null,
    way: 'packed',
    changes: 3,
    createdAt: AT,
    money,
    state: 'paid',
    payments: [money],
    history: [
      { ...person, kind: 'deliver', number: 1, paymentId, by: null, toWay: null, remark: null },
      { ...person, kind: 'moved', number: 2, toWay: 'packed', remark: null },
      { ...person, kind: 'remark', number: 3, toWay: null, remark: description },
    ],
  }
}

const withQuestion = (order: ShownOrder): ShownOrder => ({
  ...order,
  decision: 'ask',
  question: 'paid_twice',
  way: 'new',
  state: 'part_returned',
  money: { ...order.money, refundedMinor: 500 },
})

const view = (locale: Parameters<Show>[0], texts: Texts) => {
  const { mode, localeLinks } = facts(locale, texts)
  return { locale, mode, localeLinks, brand: brandOf(texts, '#c2185b') }
}

export const ORDER_GALLERY: Record<string, Show> = {
  order: (locale, texts) => orderPage(view(locale, texts), orderOf(texts)),
  'order-asked': (locale, texts) => orderPage(view(locale, texts), withQuestion(orderOf(texts))),
  'order-list': (locale, texts) => {
    const orders = [orderOf(texts), { ...orderOf(texts), paymentId: 'pay_01kgwzxq6n4t8v0c2f5h7j9m2q' }]
    return listPage(view(locale, texts), { title: texts.description, orders, isCut: true })
  },
  'order-list-empty': (locale, texts) => listPage(view(locale, texts), { title: '2026-03-04', orders: [] }),
  'order-cases': (locale, texts) => {
    const cases = (['unknown', 'review', 'refund_failed', 'warning'] as const).map((kind) => ({
      kind,
      subject: kind,
      paymentId: 'pay_01kgwzxq6n4t8v0c2f5h7j9m2q',
      orderId: null,
      amountMinor: 1_250,
      currency: 'USD',
    }))
    return listPage(view(locale, texts), { title: texts.description, orders: [], cases })
  },
  'order-test': (locale, texts) =>
    testPage(view(locale, texts), { test: [[texts.description, texts.description]], path: '/o/x' }),
  'order-test-none': (locale, texts) => testPage(view(locale, texts), { test: null, path: '/o/x' }),
  'order-tested': (locale, texts) => testedPage(view(locale, texts)),
}
