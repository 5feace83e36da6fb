/** What a payment sells is in its columns. What a shop writes into the metadata of its own payments is no sale. */
import { beforeAll, expect, test } from 'vitest'
import { listOrdersOf, showOrder } from '../operator/orders/orders.ts'
import { saleOf } from '../payments/creation/pay-page.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { clickWidget, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { operateHere } from '../testing/operator.ts'
import { createSubscription, openToken, subscriptionRequest } from '../testing/payments/subscriptions.ts'
import { openScene } from '../testing/scene.ts'
import { buyerFields } from './buyer.ts'

const WITHIN_MS = 60_000
const SALE = { source: 'widget', productId: 'tea', quantity: 5, period: 'in the morning' }
/** What the version before has not written. */
const WITHOUT_COLUMNS = 'product_id = null, quantity = null, period_start = null, period_end = null'

const { kassa, shop } = await openScene({ worker: true })
beforeAll(async () => {
  await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
})

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
