/**
 * A gateway that tells the address of an order once and ends no order, in a whole service. An order whose address nobody has keeps no
 * buyer waiting: the next one opens at once. An address that was handed out counts, whatever was lost.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DRIVERS } from '../../../providers/registry.ts'
import { listExchanges } from '../../../storage/exchanges.ts'
import { listAttempts } from '../../../storage/payments/attempt-orders.ts'
import { listEntries } from '../../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createSession, lookUp, sessionRequest } from '../../calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../harness.ts'
import { routeSettings } from '../route-settings.ts'
import { poorGatewayDriver } from './gateway.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

/** Longer than a lost opening may still appear at the gateway, and shorter than the lease. */
const UNSURE_MS = 30_000
const A_LEASE_MS = 100_000
const DAY_MS = 24 * 3_600_000
let kassa: Kassa
let shop: Shop
let gateway: Gateway
beforeAll(async () => {
  DRIVERS.poorGateway = { driver: poorGatewayDriver, settings: poorGatewayDriver.settings }
  gateway = await startGateway()
  const own = { DRIVER: 'poorGateway', ADDRESS: gateway.address, LOGIN: 'tea' }
  const settings = routeSettings('ROUTE_A', { ...own, FIRST_NUMBER: '7001', LAST_NUMBER: '7999' })
  kassa = await startKassa({ settings })
  shop = await openShop(kassa.ctx)
})
afterAll(async () => {
  await kassa.close()
  await gateway.close()
  delete DRIVERS.poorGateway
})

let keys = 0
const newKey = () => `told-${++keys}`
const create = (key: string) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }) })
async function later(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.statusSync(kassa.ctx)
  await SWEEPS.settledSync(kassa.ctx)
}
async function idOf(key: string): Promise<string> {
  const { rows } = await kassa.ctx.db.query(
    'select payment_id from sandbox.idempotency_keys where key = $1',
    [key],
  )
  return rows[0].payment_id
}
const ordersOf = (id: string) => listAttempts(kassa.ctx.db, { merchantId: shop.merchantId, id })
const statesOf = async (id: string) => (await ordersOf(id)).map(({ state }) => state)
const clickOn = async (id: string) => {
  const at = `${kassa.url}/checkout/${id}/continue`
  return (await fetch(at, { method: 'POST', redirect: 'manual' })).headers.get('location') ?? ''
}

/** The gateway registers an order, and its answer does not arrive. */
async function loseAddress(): Promise<{ key: string; id: string; lost: string }> {
  const key = newKey()
  gateway.lose('register')
  expect((await create(key)).status).toBe(503)
  const id = await idOf(key)
  const [attempt] = await ordersOf(id)
  return { key, id, lost: attempt?.reference ?? '' }
}

describe('an address that was lost', () => {
  test.each(['a retry', 'a click', 'the worker'])(
    'is followed by another order at once, by %s',
    async (who) => {
      const { key, id, lost } = await loseAddress()
      if (who === 'a retry') expect((await create(key)).status).toBe(201)
      if (who === 'a click') expect(await clickOn(id)).toContain('/pay/')
      if (who === 'the worker') await later(UNSURE_MS)
      expect(await statesOf(id)).toEqual(['lost', 'open'])
      const [, next] = await ordersOf(id)
      expect(await clickOn(id)).toBe(`${gateway.address}/pay/${next?.reference}`)
      // The lost order is left alone: nobody can come to it.
      expect(gateway.orders.get(lost)).toMatchObject({ status: 0 })

      expect(gateway.pay(next?.reference ?? '')).toBe(true)
      await later(A_LEASE_MS)
      expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', capturedMinor: 1900 })
    },
  )

  test('is followed by one other order, however many come at once', async () => {
    const { key, id } = await loseAddress()
    const places = await Promise.all([create(key), clickOn(id), clickOn(id), create(key), later(UNSURE_MS)])
    expect(places).toHaveLength(5)
    expect(await statesOf(id)).toEqual(['lost', 'open'])
  })

  test('can be lost again', async () => {
    const { key, id } = await loseAddress()
    gateway.lose('register')
    expect((await create(key)).status).toBe(503)
    expect(await statesOf(id)).toEqual(['lost', 'opening'])
    expect((await create(key)).status).toBe(201)
    expect(await statesOf(id)).toEqual(['lost', 'lost', 'open'])
  })
})

describe('a gateway whose answers are lost again and again', () => {
  /** The worker comes every few seconds, and every order of this payment that it opens is lost. */
  async function loseFor(id: string, seconds: number, step = 20): Promise<void> {
    await kassa.ctx.db.query('update sandbox.attempts set question_due_at = null where payment_id <> $1', [
      id,
    ])
    for (let passed = 0; passed < seconds; passed += step) {
      gateway.lose('register')
      await later(step * 1_000)
    }
  }

  test('gets orders of one payment less and less often', async () => {
    const { id } = await loseAddress()
    await loseFor(id, 60, 5)
    expect(await statesOf(id)).toEqual(['lost', 'lost', 'opening'])
    gateway.lose(null)
  })

  test('gets no sixth order by itself: a person learns of it, and the buyer’s next click opens one', async () => {
    const { id } = await loseAddress()
    await loseFor(id, 1_500)
    const lost = Array(5).fill('lost')
    expect(await statesOf(id)).toEqual(lost)
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('several orders were lost'),
    ])
    gateway.lose(null)
    expect(await clickOn(id)).toContain('/pay/')
    expect(await statesOf(id)).toEqual([...lost, 'open'])
  })

  test('gets one order for each click after that, which a single click goes on from', async () => {
    const { id } = await loseAddress()
    await loseFor(id, 1_500)
    gateway.lose('register')
    expect(await clickOn(id)).not.toContain('/pay/')
    expect(await statesOf(id)).toEqual([...Array(5).fill('lost'), 'opening'])
    expect(await clickOn(id)).toContain('/pay/')
    expect(await statesOf(id)).toEqual([...Array(6).fill('lost'), 'open'])
  })

  test('lets the payment end at its time', async () => {
    const { id } = await loseAddress()
    await loseFor(id, 1_500)
    gateway.lose(null)
    kassa.clock.advance(DAY_MS)
    await later(A_LEASE_MS)
    expect((await lookUp(kassa.url, shop, id)).body.status).toBe('expired')
  })
})

describe('a lost order', () => {
  test('is asked about until it cannot bring money, and its money is surplus', async () => {
    const { key, id, lost } = await loseAddress()
    await create(key)
    const [, next] = await ordersOf(id)
    gateway.pay(next?.reference ?? '')
    await later(A_LEASE_MS)
    expect((await lookUp(kassa.url, shop, id)).body.status).toBe('paid')
    for (let day = 0; day < 3; day++) await later(DAY_MS)
    // The bank's staff has taken it by hand.
    expect(gateway.pay(lost)).toBe(true)
    await later(DAY_MS + 3_600_000)
    expect(await statesOf(id)).toEqual(['paid', 'paid'])
    const { body } = await lookUp(kassa.url, shop, id)
    expect(body).toMatchObject({ status: 'paid', capturedMinor: 1900 })
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
    if (!payment) throw new Error('no such payment')
    expect((await listEntries(kassa.ctx.db, payment)).filter(({ kind }) => kind === 'taken')).toHaveLength(2)
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)
    expect(warnings.map(({ detail }) => detail).join()).toContain(`(${lost}) brought money besides`)
  })

  test('is not asked about any more once the gateway says that it is over', async () => {
    const { key, id, lost } = await loseAddress()
    await create(key)
    Object.assign(gateway.orders.get(lost) ?? {}, { status: 6 })
    await later(UNSURE_MS)
    expect(await statesOf(id)).toEqual(['declined', 'open'])
  })
})

describe('an address that nobody has lost', () => {
  test('is not followed by another order while it can be paid', async () => {
    const key = newKey()
    const { body } = await create(key)
    for (let times = 0; times < 3; times++) await later(UNSURE_MS)
    expect(await clickOn(body.id)).toBe(body.providerCheckoutUrl)
    expect(await statesOf(body.id)).toEqual(['open'])
  })

  test('is found by a buyer who is there, so no other order opens', async () => {
    const { key, id, lost } = await loseAddress()
    gateway.pay(lost)
    expect((await create(key)).status).toBeLessThan(300)
    expect(await statesOf(id)).toEqual(['paid'])
  })

  test('arrives after another process has left the order, and is handed out to nobody', async () => {
    const key = newKey()
    const { heard, release } = gateway.hold('register')
    const late = create(key)
    await heard
    kassa.clock.advance(A_LEASE_MS)
    const id = await idOf(key)
    const [first] = await ordersOf(id)
    await SWEEPS.statusSync(kassa.ctx)
    expect(await statesOf(id)).toEqual(['lost', 'open'])
    release()
    expect(JSON.stringify((await late).body)).not.toContain(`/pay/${first?.reference}`)
    const all = await ordersOf(id)
    expect(all.map(({ state, checkoutUrl }) => [state, checkoutUrl])).toEqual([
      ['lost', null],
      ['open', `${gateway.address}/pay/${all[1]?.reference}`],
    ])
  })

  test('stands in no log', async () => {
    const { body } = await create(newKey())
    await kassa.ctx.exchangeLog.flush()
    const kept = JSON.stringify(await listExchanges(kassa.ctx.db, body.id, 10))
    expect(kept).toContain('register')
    expect(kept).not.toContain('/pay/')
  })
})

test('after a restore nobody knows what was handed out, so the order counts until it is over', async () => {
  const restored = await startKassa({
    settings: routeSettings('ROUTE_A', {
      DRIVER: 'poorGateway',
      ADDRESS: gateway.address,
      LOGIN: 'restored',
      FIRST_NUMBER: '1',
      LAST_NUMBER: '99',
    }),
  })
  const other = await openShop(restored.ctx)
  const now = restored.clock.now()
  await restored.ctx.db.query(
    'insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values ($1, $2, 0)',
    [now, new Date(now.getTime() - DAY_MS)],
  )
  const key = newKey()
  const ask = () =>
    createSession(restored.url, other, {
      key,
      body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }),
    })
  gateway.lose('register')
  expect((await ask()).status).toBe(503)
  expect((await ask()).status).toBe(503)
  const { rows } = await restored.ctx.db.query('select state from sandbox.attempts')
  expect(rows).toEqual([{ state: 'opening' }])
  await restored.close()
})
