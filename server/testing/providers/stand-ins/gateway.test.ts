/**
 * A provider whose orders have integers of a range, in a whole service: an order whose address was lost is found by its number and
 * withdrawn, and the same payment gets another order, which is the only one that can be paid.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { DRIVERS } from '../../../providers/registry.ts'
import { listAttempts } from '../../../storage/payments/attempt-orders.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createSession, lookUp, sessionRequest } from '../../calls.ts'
import { openShop } from '../../harness.ts'
import { closeAfter, openKassa } from '../../scene.ts'
import { routeSettings } from '../route-settings.ts'
import { gatewayDriver } from './gateway.ts'
import { startGateway } from './gateway-server.ts'

const A_LEASE_MS = 100_000
const RANGE = { FIRST_NUMBER: '7001', LAST_NUMBER: '7040' }
DRIVERS.gateway = { driver: gatewayDriver, settings: gatewayDriver.settings }
const gateway = closeAfter(await startGateway())
const own = { DRIVER: 'gateway', ADDRESS: gateway.address, ...RANGE }
const small = { ...own, LOGIN: 'small', FIRST_NUMBER: '1', LAST_NUMBER: '2' }
const settings = {
  ...routeSettings('ROUTE_A', { ...own, LOGIN: 'tea' }),
  ...routeSettings('ROUTE_B', small),
}
const kassa = await openKassa({ settings })
const shop = await openShop(kassa.ctx)
afterAll(async () => {
  delete DRIVERS.gateway
})

let keys = 0
const create = (key: string, provider = 'route_a') =>
  createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, amountMinor: 1900, provider }),
  })
async function later(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.statusSync(kassa.ctx)
}
const ordersOf = (paymentId: string) =>
  listAttempts(kassa.ctx.db, { merchantId: shop.merchantId, id: paymentId })
const paidNow = () => [...gateway.orders.values()].filter(({ taken }) => taken > 0).length

describe('order numbers', () => {
  test('are those of the account, one for each order, also for many at once', async () => {
    const before = gateway.orders.size
    const made = await Promise.all(Array.from({ length: 10 }, () => create(`many-${++keys}`)))
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201))
    const numbers = [...gateway.orders.keys()].slice(before).map(Number)
    expect(new Set(numbers).size).toBe(10)
    for (const number of numbers) {
      expect(number).toBeGreaterThanOrEqual(7001)
      expect(number).toBeLessThanOrEqual(7040)
    }
  })

  test('that are used up refuse further payments of this account, and of no other', async () => {
    for (const expected of [201, 201])
      expect((await create(`small-${++keys}`, 'route_b')).status).toBe(expected)
    const { status, body } = await create(`small-${++keys}`, 'route_b')
    expect([status, body.error]).toMatchObject([503, { code: 'provider_unavailable', retryable: false }])
    expect((await create(`other-${++keys}`)).status).toBe(201)
  })
})

describe('an order whose address was lost', () => {
  test.each([
    { lost: ['register'], acts: true, orders: 2 },
    { lost: ['register', 'decline'], acts: true, orders: 2 },
    { lost: ['register'], acts: false, orders: 1 },
  ])(
    'is withdrawn and followed by another one in the same payment (opened: $acts, lost: $lost)',
    async ({ acts, orders, lost }) => {
      const key = `lost-${++keys}`
      const before = gateway.orders.size
      const paidBefore = paidNow()
      gateway.lose('register', acts)
      expect((await create(key)).status).toBe(503)
      if (lost.includes('decline')) gateway.lose('decline')
      for (let times = 0; times < 3; times++) await later(A_LEASE_MS)
      const again = await create(key)
      const paymentId = again.body.id ?? again.body.error?.paymentId
      await fetch(`${kassa.url}/checkout/${paymentId}/continue`, { method: 'POST', redirect: 'manual' })

      const attempts = await ordersOf(paymentId)
      expect(attempts).toHaveLength(orders)
      const numbers = [...gateway.orders.keys()].slice(before)
      expect(numbers).toEqual(attempts.map(({ reference }) => reference))
      const last = numbers.at(-1) ?? ''
      for (const earlier of numbers.slice(0, -1)) expect(gateway.pay(earlier)).toBe(false)
      expect(gateway.pay(last)).toBe(true)
      await later(A_LEASE_MS)
      expect((await lookUp(kassa.url, shop, paymentId)).body).toMatchObject({
        status: 'paid',
        capturedMinor: 1900,
      })
      expect(paidNow() - paidBefore).toBe(1)
    },
  )
})

describe('one notification about several orders', () => {
  const notify = async (numbers: string[]) => {
    const url = `${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`
    const answer = await fetch(url, { method: 'POST', body: `orders=${numbers.join(',')}` })
    return answer.status
  }
  const statusOf = async (id: string) => (await lookUp(kassa.url, shop, id)).body.status

  test('makes each of them paid that was paid, and an order of nobody spoils none', async () => {
    const made = [await create(`several-${++keys}`), await create(`several-${++keys}`)]
    const ids = made.map(({ body }) => body.id as string)
    const numbers = (await Promise.all(ids.map(ordersOf))).map(([order]) => order?.reference ?? '')
    for (const number of numbers) expect(gateway.pay(number)).toBe(true)
    expect(await notify([...numbers, '99999'])).toBe(200)
    const entered = 'select count(*)::int as count from sandbox.payments where id = any($1) and status = $2'
    const { rows } = await kassa.ctx.db.query(entered, [ids, 'paid'])
    expect(rows).toEqual([{ count: 2 }])
    for (const id of ids) expect(await statusOf(id)).toBe('paid')
  })

  test('about no order of ours is refused', async () => {
    expect(await notify(['99998', '99999'])).toBe(404)
  })
})
