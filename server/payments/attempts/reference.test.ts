/** References: every order has one of its own, also where it is a number, stored before the provider is first called. */
import { expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import type { Driver } from '../../providers/driver.ts'
import { findAttemptByReference } from '../../storage/payments/attempts.ts'
import { call, clickWidget, createLink, createSession, sessionRequest } from '../../testing/calls.ts'
import { startKassa } from '../../testing/harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openChargingBank } from '../../testing/providers/charging-bank.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'
import { nameOfNext, nameOfUse } from './reference.ts'

const { kassa, shop } = await openScene()

/** The references with which the provider was called to open or to charge, and whether each was stored before the call. */
type Heard = { reference: string; isStored: boolean }[]

const RANGE = { first: 7_701, last: 7_799 }

/** Makes the driver of route_a want numbers, and notes with which ones `act` is called. */
function numberOrders(act: 'startCheckout' | 'chargeToken'): Heard {
  const { route_a: route } = kassa.ctx.routes
  const before = route.driver?.[act] as (call: unknown, order: { reference: string }) => Promise<unknown>
  const heard: Heard = []
  const changes = {
    orderNumbers: () => RANGE,
    async [act](providerCall: unknown, order: { reference: string }) {
      const stored = await findAttemptByReference(kassa.ctx.db, route.id, order.reference)
      heard.push({ reference: order.reference, isStored: stored !== null })
      return before(providerCall, order)
    },
  }
  kassa.ctx.routes.route_a = { ...route, driver: { ...route.driver, ...changes } as Driver }
  return heard
}

function expectNumbers(heard: Heard, orders: number): void {
  expect(heard.map(({ isStored }) => isStored)).toEqual(Array(orders).fill(true))
  expect(new Set(heard.map(({ reference }) => reference)).size).toBe(orders)
  for (const { reference } of heard) expect(reference).toMatch(/^77\d\d$/)
}

async function buy(ledger: Ledger, heard: Heard): Promise<void> {
  await createSession(kassa.url, shop, { key: 'session', body: sessionRequest() })
  await clickWidget(kassa.url, shop)
  const link = await createLink(kassa.url, shop, { key: 'link' })
  const click = () =>
    fetch(`${kassa.url}/checkout/${link.body.paymentId}/continue`, { method: 'POST', redirect: 'manual' })
  await click()
  const first = heard.at(-1)?.reference ?? ''
  ledger.move(first, { order: 'declined' })
  await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: first })
  await click()
}

test('the first order of a session, a button and a link, and a second order, get numbers', async () => {
  const plain = kassa.ctx.routes.route_a
  const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  const heard = numberOrders('startCheckout')
  await buy(ledger, heard)
  kassa.ctx.routes.route_a = plain
  expectNumbers(heard, 4)
  expect([...ledger.orders.keys()]).toEqual(heard.map(({ reference }) => reference))
})

test('the charge of a saved card gets a number', async () => {
  const plain = kassa.ctx.routes.route_a
  const tokenId = await openToken(kassa.url, shop)
  openChargingBank(kassa.ctx)
  const heard = numberOrders('chargeToken')
  await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  await sweep(kassa)
  kassa.ctx.routes.route_a = plain
  expectNumbers(heard, 1)
})

/** What a restore of an older backup loses: the payments with their orders, and the keys. */
const loseEverything = () =>
  kassa.ctx.db.query(
    'truncate sandbox.payments, sandbox.attempts, sandbox.idempotency_keys, sandbox.cancellations',
  )

test('a database that has lost the payments gives the same orders the same references again', async () => {
  const plain = kassa.ctx.routes.route_a
  const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  const buyTwice = async () => {
    ledger.orders.clear()
    const { body } = await createSession(kassa.url, shop, { key: 'lost', body: sessionRequest() })
    const [first = ''] = ledger.orders.keys()
    ledger.move(first, { order: 'declined' })
    await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: first })
    await fetch(`${kassa.url}/checkout/${body.id}/continue`, { method: 'POST', redirect: 'manual' })
    return { id: body.id as string, references: [...ledger.orders.keys()] }
  }
  const before = await buyTwice()
  await loseEverything()
  const after = await buyTwice()
  kassa.ctx.routes.route_a = plain
  expect(new Set(before.references).size).toBe(2)
  expect(after.references).toEqual(before.references)
  expect(referenceOf(after.id)).toBe(before.references[0])
  expect(after.id).not.toBe(before.id)
})

test('a refused key gets another order when it is used again, and nobody else can compute its reference', async () => {
  const plain = kassa.ctx.routes.route_a
  openLedger(kassa.ctx, {})
  const refused: string[] = []
  changeDriver(kassa.ctx, 'route_a', {
    async startCheckout(_, { reference }) {
      refused.push(reference)
      return { kind: 'refused', refusal: 'request', message: 'no' }
    },
  })
  for (let use = 0; use < 3; use++)
    expect((await createSession(kassa.url, shop, { key: 'refused', body: sessionRequest() })).status).toBe(
      503,
    )
  kassa.ctx.routes.route_a = plain
  const claim = { merchantId: shop.merchantId, scope: 'POST /v1/payment-sessions', key: 'refused' }
  const first = await nameOfUse(kassa.ctx, claim, 1)
  const accountId = plain.id
  const second = await nameOfNext(kassa.ctx, { accountId, reference: first })
  expect(refused).toEqual([first, second, await nameOfNext(kassa.ctx, { accountId, reference: second })])
  const other = await startKassa()
  // The databases of the tests are copies of one.
  await other.ctx.db.query("update sandbox.order_secret set secret = sha256('another')")
  const elsewhere = await nameOfUse(other.ctx, claim, 1)
  await other.close()
  expect(refused).not.toContain(elsewhere)
})
