/** The order book as a merchant's receiver: the worker hands it signed events inside the process. What was sold is in the columns of a payment. */
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { removeProduct } from '../merchants/product.ts'
import { listOrdersOf, showOrder } from '../operator/orders/orders.ts'
import { saleOf } from '../payments/creation/pay-page.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { eventHeaders } from '../receivers/request.ts'
import { listDeliveries, listPaymentEvents } from '../storage/events/events.ts'
import { listOrders } from '../storage/orders/lists.ts'
import { listOrderChanges } from '../storage/orders/orders.ts'
import { storeOrderPayment } from '../storage/orders/payments.ts'
import { findPayment } from '../storage/payments/payments.ts'
import {
  askOperation,
  clickWidget,
  createLink,
  createSession,
  payAtBank,
  sessionRequest,
} from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { everyPoint, mortalDb, recordingDb } from '../testing/mortal-db.ts'
import { operateHere } from '../testing/operator.ts'
import { createSubscription, openToken, subscriptionRequest } from '../testing/payments/subscriptions.ts'
import { openScene } from '../testing/scene.ts'
import { buyerFields } from './buyer.ts'
import { handOver, takeEvent, WORK_LEASE_MS } from './receive.ts'
import { workOn, workOnDue } from './work.ts'

const { kassa, shop } = await openScene({ worker: true })

const WITHIN_MS = 60_000
beforeAll(async () => {
  await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
})

const everything = () => ({
  merchantId: shop.merchantId,
  since: new Date(0),
  until: new Date('2999-01-01'),
  way: null,
  needsPerson: false,
  limit: 1_000,
})
const orders = () => listOrders(kassa.ctx.db, everything())
const orderOf = async (paymentId: string) => (await orders()).find((each) => each.paymentId === paymentId)
/** Waits until the order of the payment has these fields. */
const until = (paymentId: string, expected: Record<string, unknown>) =>
  expectWithin(WITHIN_MS, () => readFields(paymentId, Object.keys(expected)), expected)
async function readFields(paymentId: string, names: string[]): Promise<Record<string, unknown>> {
  const order = await orderOf(paymentId)
  const fields: Record<string, unknown> = { ...order, status: order?.money.status }
  return Object.fromEntries(names.map((name) => [name, fields[name]]))
}

async function session(key: string, outcome = 'paid', changes: object = {}): Promise<string> {
  const body = sessionRequest({ merchantOrderId: key, ...changes })
  const made = await createSession(kassa.url, shop, { key, body })
  await payAtBank(made.body.providerCheckoutUrl, outcome)
  return made.body.id
}

test('has the sales of sessions, products and links, with what was sold, and not what nobody paid', async () => {
  const declined = await session('declined', 'cancelled')
  const paid = await session('paid', 'paid', { customer: { name: 'Ani' }, metadata: { note: 'blue' } })
  const held = await session('held', 'paid', { provider: 'route_b' })
  const { body: sale } = await clickWidget(kassa.url, shop, { body: { clientReference: 'sale' } })
  await payAtBank(`${sale.checkoutUrl}/continue`, 'paid')
  const { body: link } = await createLink(kassa.url, shop, { key: 'link' })
  await payAtBank(`${link.checkoutUrl}/continue`, 'paid')
  await until(paid, { decision: 'deliver', question: null, way: 'new', status: 'paid' })
  await until(held, { decision: null, status: 'authorized' })
  await until(sale.paymentId, { decision: 'deliver', title: 'Tea', productId: 'tea', quantity: 1 })
  await until(link.paymentId, { decision: 'deliver', title: 'Mountain tea' })
  const order = await orderOf(paid)
  expect(order?.money.buyer).toEqual({ customer: { name: 'Ani' }, metadata: { note: 'blue' } })
  expect(paid.endsWith(order?.number ?? '-')).toBe(true)
  expect(await orderOf(declined)).toBeUndefined()
})

test('gets the same rows of events and deliveries as any receiver, signed as for any receiver', async () => {
  const id = await session('signed')
  await until(id, { decision: 'deliver' })
  const [event] = await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)
  expect(event).toMatchObject({ status: 'paid', state: 'delivered', attempts: 1 })
  const rows = await listDeliveries(kassa.ctx.db, shop.merchantId, event?.id ?? '')
  expect(rows).toMatchObject([{ url: ORDER_BOOK_URL, statusCode: 200, responseStart: 'Stored.' }])
  const { id: eventId = '', body = '' } = event ?? {}
  const headers = eventHeaders({ id: eventId, body }, [shop.webhookSecret], new Date())
  new Webhook(shop.webhookSecret).verify(body, headers)
  expect((await takeEvent(kassa.ctx, shop.merchantId, { headers, body })).statusCode).toBe(200)
  const forged = { headers, body: body.replace('1900', '1901') }
  expect((await takeEvent(kassa.ctx, shop.merchantId, forged)).statusCode).toBe(401)
})

test('a sale whose metadata looks like those of a test event is an order too', async () => {
  const id = await session('like a test', 'paid', { metadata: { source: 'callback_check' } })
  await until(id, { decision: 'deliver' })
})

test('four payments of one order at once are one order, about which a person is asked', async () => {
  const now = kassa.clock.now()
  const names = Array.from({ length: 10 }, (_, order) =>
    ['a', 'b', 'c', 'd'].map((each) => `${order}${each}`),
  ).flat()
  for (const name of names)
    await storeOrderPayment(
      kassa.ctx.db,
      {
        merchantId: shop.merchantId,
        paymentId: `pay_test_${name}`,
        reference: `one ${name.slice(0, -1)}`,

        sequence: 2,
        status: 'paid',
        amountMinor: 100,
        capturedMinor: 100,
        refundedMinor: 0,
        currency: 'USD',
        buyer: null,
        takenBack: false,
        eventAt: now,
      },
      new Date(now.getTime() + WORK_LEASE_MS),
    )
  await Promise.all(
    [...names, ...names].map((name) => workOn(kassa.ctx, shop.merchantId, `pay_test_${name}`)),
  )
  const found = (await orders()).filter(({ reference }) => reference.startsWith('one '))
  expect(found).toHaveLength(10)
  for (const { decision, question, changes } of found)
    expect([decision, question, changes]).toEqual(['deliver', 'paid_twice', 4])
})

test('asks a person if the product is not sold any more when its money comes', async () => {
  const { body: sale } = await clickWidget(kassa.url, shop, {
    body: { productId: 'cup', clientReference: 'cup' },
  })
  await removeProduct(kassa.ctx, shop.merchantId, 'cup')
  await payAtBank(`${sale.checkoutUrl}/continue`, 'paid')
  await until(sale.paymentId, { decision: 'ask', question: 'not_offered' })
})

test('shows what went back, and asks nobody about a refund after the decision', async () => {
  const id = await session('returned')
  await until(id, { decision: 'deliver' })
  await askOperation(kassa.url, shop, id, 'refunds', {
    key: 'r1',
    body: { amountMinor: 500, reason: 'a crack' },
  })
  await until(id, { status: 'partially_refunded', question: null, changes: 2 })
  const order = await orderOf(id)
  const changes = await listOrderChanges(kassa.ctx.db, shop.merchantId, order?.id ?? '')
  expect(changes.map(({ kind, status }) => [kind, status])).toEqual([
    ['deliver', 'paid'],
    ['note', 'partially_refunded'],
  ])
})

test('a database that is away makes the order book a receiver that is away', async () => {
  const ctx = { ...kassa.ctx, db: mortalDb(kassa.ctx.db, 0) }
  const { exchange } = await handOver(ctx, shop.merchantId, { headers: {}, body: '{}' })
  expect(exchange).toMatchObject({ kind: 'failed' })
})

describe('a process that dies at any statement', () => {
  const made = async (name: string) => {
    const payment = { id: `pay_test_${name}`, merchantOrderId: name, amountMinor: 1900, currency: 'USD' }
    const whole = { ...payment, status: 'paid', capturedMinor: 1900, refundedMinor: 0 }
    const body = JSON.stringify({ type: 'payment.status_changed', sequence: 2, payment: whole })
    const headers = eventHeaders({ id: name, body }, [shop.webhookSecret], new Date())
    return { id: payment.id, request: { headers, body } }
  }
  const run = async (ctx: Context, { id, request }: Awaited<ReturnType<typeof made>>) => {
    const { exchange } = await handOver(ctx, shop.merchantId, request)
    if (exchange.kind === 'answered') await workOn(ctx, shop.merchantId, id)
  }

  test('leaves an order that is decided once', async () => {
    const statements: string[] = []
    const recording = { ...kassa.ctx, db: recordingDb(kassa.ctx.db, statements) }
    await run(recording, await made('whole'))
    expect(statements).toContain('insert_order')
    for (const point of everyPoint(statements)) {
      const event = await made(`point ${point}`)
      await run({ ...kassa.ctx, db: mortalDb(kassa.ctx.db, point) }, event)
      // The event is sent again, because the dead process has not recorded its delivery, and another process takes over.
      await run(kassa.ctx, event)
    }
    kassa.clock.advance(WORK_LEASE_MS)
    await workOnDue(kassa.ctx)
    const found = (await orders()).filter(({ reference }) => reference.startsWith('point '))
    expect(found.length).toBe(everyPoint(statements).length)
    for (const { id, decision, changes } of found) expect([id, decision, changes]).toEqual([id, 'deliver', 1])
  })
})

/** What a payment sells is in its columns. What a shop writes into the metadata of its own payments is no sale. */
describe('what a payment sells', () => {
  const SALE = { source: 'widget', productId: 'tea', quantity: 5, period: 'in the morning' }
  /** What the version before has not written. */
  const WITHOUT_COLUMNS = 'product_id = null, quantity = null, period_start = null, period_end = null'

  const wish = () => ({ merchantId: shop.merchantId, limit: 100 })
  const orderOf = async (paymentId: string) =>
    (await listOrdersOf(kassa.ctx, wish())).find((order) => order.paymentId === paymentId)

  /** Waits for the order of a paid payment. Returns it as the list and the order's own page have it. */
  async function orderBookOf(paymentId: string) {
    await expectWithin(WITHIN_MS, async () => (await orderOf(paymentId))?.decision, 'deliver')
    const listed = await orderOf(paymentId)
    if (!listed) throw new Error('The order is gone.')
    const fields = [listed, await showOrder(kassa.ctx, listed)].map(({ money }) => buyerFields(money))
    return { listed, fields }
  }

  async function own(key: string, metadata: object, merchantOrderId = key): Promise<string> {
    const body = sessionRequest({ merchantOrderId, metadata })
    const { body: session } = await createSession(kassa.url, shop, { key, body })
    await payAtBank(session.providerCheckoutUrl, 'paid')
    return session.id
  }

  async function sold(clientReference: string): Promise<string> {
    const { body } = await clickWidget(kassa.url, shop, { body: { clientReference } })
    await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
    return body.paymentId
  }

  async function renewed(merchantSubscriptionId: string): Promise<string> {
    const tokenId = await openToken(kassa.url, shop)
    const terms = { merchantSubscriptionId, metadata: { flavour: 'green' } }
    await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId, terms) })
    const paid = async () =>
      (await listOrdersOf(kassa.ctx, wish())).find(
        ({ reference }) => reference === `${merchantSubscriptionId}/1`,
      )
    await expectWithin(WITHIN_MS, async () => (await paid())?.decision, 'deliver')
    return (await paid())?.paymentId ?? ''
  }

  const columnsOf = async (id: string) => {
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
    const { productId, quantity, periodStart, periodEnd, metadata } = payment ?? {}
    return {
      sold: [productId, quantity],
      lasts: [periodStart?.toISOString(), periodEnd?.toISOString()],
      metadata,
    }
  }

  test('a payment whose shop writes what a sale writes is no sale, and the shop reads its own words', async () => {
    const id = await own('own-program', SALE)
    expect((await columnsOf(id)).sold).toEqual([null, null])
    expect(saleOf({ merchantId: shop.merchantId, productId: null })).toBeNull()
    const { listed, fields } = await orderBookOf(id)
    expect(listed).toMatchObject({ productId: null, quantity: 1 })
    const words = Object.entries(SALE).map(([name, value]) => [name, String(value)])
    for (const each of fields) expect(Object.fromEntries(each)).toEqual(Object.fromEntries(words))
  })

  test('a sale has its product and quantity, and its order shows none of what the service wrote', async () => {
    const id = await sold('a-sale')
    expect((await columnsOf(id)).sold).toEqual(['tea', 1])
    const { listed, fields } = await orderBookOf(id)
    expect([listed.productId, fields]).toEqual(['tea', [[], []]])
  })

  test('a renewal has its period, and its order shows the words of the subscription alone', async () => {
    const id = await renewed('box-of-columns')
    const { lasts, metadata } = await columnsOf(id)
    expect(lasts).toEqual([metadata?.periodStart, metadata?.periodEnd])
    expect(lasts[0]).toMatch(/Z$/)
    const { fields } = await orderBookOf(id)
    expect(fields).toEqual([[['flavour', 'green']], [['flavour', 'green']]])
    const { stdout } = await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])
    expect(stdout).toMatch(/^ *Period +\d{4}-\d{2}-\d{2} .* to \d{4}-\d{2}-\d{2} /m)
  })

  test('what a payment of the version before sells is read from its metadata', async () => {
    const ids = [
      await sold('sold-before'),
      await renewed('renewed-before'),
      await own('own-before', SALE),
      // A shop may give its own orders such numbers too.
      await own('named-before', SALE, 'wgt_test_01kcaa3d4vp70f6g7h8j9kmnpqrs2v3w4x5y'),
    ]
    const before = await Promise.all(ids.map(columnsOf))
    const blanked = await kassa.ctx.db.query(
      `update sandbox.payments set ${WITHOUT_COLUMNS} where id = any($1)`,
      [ids],
    )
    expect(blanked.rowCount).toBe(4)
    expect(await Promise.all(ids.map(columnsOf))).toEqual(before)
    const shown = await Promise.all(
      ids.map(async (id) => (await orderBookOf(id)).fields[0]?.map(([name]) => name)),
    )
    expect(shown.map((names) => names?.sort())).toEqual([
      [],
      ['flavour'],
      Object.keys(SALE).sort(),
      Object.keys(SALE).sort(),
    ])
  })
})
