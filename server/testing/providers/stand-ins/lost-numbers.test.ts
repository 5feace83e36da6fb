/**
 * An account whose orders have numbers of a small range, after a restore: the numbers of the lost hours are skipped, the range is not
 * used up, and a number that the gateway still knows never makes another payment paid.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DRIVERS } from '../../../providers/registry.ts'
import { type NumberRange, takeOrderNumber } from '../../../storage/accounts/order-numbers.ts'
import { type Db, inTransaction } from '../../../storage/db.ts'
import { markRestored } from '../../../storage/restores/restores.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createSession, lookUp, sessionRequest } from '../../calls.ts'
import { openShop, startKassa } from '../../harness.ts'
import { routeSettings } from '../route-settings.ts'
import { gatewayDriver } from './gateway.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

const DAY_MS = 24 * 3_600_000
const LEASE_MS = 100_000
let gateway: Gateway
beforeAll(async () => {
  DRIVERS.gateway = { driver: gatewayDriver, settings: gatewayDriver.settings }
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway.close()
  delete DRIVERS.gateway
})

/** What the backup had: so many orders on one day. */
async function hadOrders(db: Db, accountId: string, count: number, range: NumberRange): Promise<void> {
  await db.query(
    `insert into sandbox.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, expires_at, created_at)
     select 'mer_test_before', 'pay_test_before' || n, 1, 'route_a', $1, '9' || n, 'expired', now() - interval '40 days',
       date_trunc('day', now(), 'UTC') - interval '40 days' from generate_series(1, $2) n`,
    [accountId, count],
  )
  for (let orders = 0; orders < count; orders++) await takeOrderNumber(db, accountId, range)
}

/** A service that was restored from a backup of this age, with an account of these numbers. */
async function restored(range: [first: number, last: number], { days = 1, orders: before = 0 } = {}) {
  const [FIRST_NUMBER, LAST_NUMBER] = range.map(String)
  const own = { DRIVER: 'gateway', ADDRESS: gateway.address, LOGIN: 'tea', FIRST_NUMBER, LAST_NUMBER }
  const kassa = await startKassa({ settings: routeSettings('ROUTE_A', own as Record<string, string>) })
  const shop = await openShop(kassa.ctx)
  const restoredAt = kassa.clock.now()
  const { db, routes } = kassa.ctx
  if (before > 0) await hadOrders(db, routes.route_a.id, before, { first: range[0], last: range[1] })
  const backupAt = new Date(restoredAt.getTime() - days * DAY_MS)
  await inTransaction(db, (tx) =>
    markRestored(tx, 'sandbox', { backupAt, restoredAt, settledPerHour: 3_600 }),
  )
  kassa.clock.advance(1_000)
  let keys = 0
  const create = (key = `numbered-${++keys}`) =>
    createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }) })
  const rows = async (query: string) => (await kassa.ctx.db.query(query)).rows
  return {
    kassa,
    shop,
    create,
    /** Each order's number and state. */
    orders: async () =>
      (
        await rows(
          "select reference, state from sandbox.attempts where merchant_id <> 'mer_test_before' order by reference::int",
        )
      ).map(({ reference, state }) => [Number(reference) - Number(FIRST_NUMBER) + 1, state]),
  }
}

test('a day of 20 orders and a backup of yesterday take 80 numbers of a range of 1,000', async () => {
  const { kassa, create, orders } = await restored([10_001, 11_000], { orders: 20 })
  const made = await Promise.all([create(), create(), create()])
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  const own = (await orders()).filter(([, state]) => state === 'open')
  expect(own.map(([number]) => number)).toEqual([101, 102, 103])
  await kassa.close()
})

test('the orders of the backup are counted with the restore, and the first sale reads none of them', async () => {
  const { kassa, create, orders } = await restored([70_001, 71_000], { orders: 20 })
  await kassa.ctx.db.query("delete from sandbox.attempts where merchant_id = 'mer_test_before'")
  expect((await create()).status).toBe(201)
  expect(await orders()).toEqual([[101, 'open']])
  await kassa.close()
})

test('a backup of a month leaves half of the range, and a range that is nearly used up can still sell', async () => {
  const month = await restored([20_001, 21_000], { days: 30, orders: 40 })
  expect((await month.create()).status).toBe(201)
  expect((await month.orders()).at(-1)).toEqual([521, 'open'])
  await month.kassa.close()

  const small = await restored([30_001, 30_003])
  expect((await small.create()).status).toBe(201)
  expect(await small.orders()).toEqual([[2, 'open']])
  await small.kassa.close()
})

test('a number that the gateway knows is left to the order that the books have lost', async () => {
  const { kassa, shop, create, orders } = await restored([40_001, 40_040])
  for (const number of ['40021', '40022'])
    gateway.orders.set(number, { amount: 1900, status: 2, taken: 1900, language: null })
  const { body, status } = await create()
  expect([status, body.status]).toEqual([201, 'pending_redirect'])
  expect(await orders()).toEqual([
    [21, 'refused'],
    [22, 'refused'],
    [23, 'open'],
  ])
  kassa.clock.advance(120_000)
  expect((await lookUp(kassa.url, shop, body.id)).body).toMatchObject({
    status: 'pending_redirect',
    capturedMinor: 0,
  })
  gateway.pay('40023')
  kassa.clock.advance(120_000)
  expect((await lookUp(kassa.url, shop, body.id)).body).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  await kassa.close()
})

test('an order that was sent after the restore, and whose answer was lost, is ours', async () => {
  const { kassa, create, orders } = await restored([50_001, 50_040])
  gateway.lose('register')
  expect((await create('lost')).status).toBe(503)
  gateway.pay('50021')
  const { status, body } = await create('lost')
  expect([status < 300, body.status]).toEqual([true, 'paid'])
  expect(await orders()).toEqual([[21, 'paid']])
  await kassa.close()
})

test('an order that was sent after the restore by a process that died is ours, and is ended', async () => {
  const { kassa, create, orders } = await restored([60_001, 60_040])
  const { heard, release } = gateway.hold('register')
  const late = create('died')
  await heard
  kassa.clock.advance(LEASE_MS)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await orders())[0]).not.toEqual([21, 'refused'])
  expect(gateway.orders.get('60021')).toMatchObject({ status: 6 })
  release()
  await late
  await kassa.close()
})
