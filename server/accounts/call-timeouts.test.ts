/** A driver states how long its provider may take, within bounds that leave each claim longer than its call. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askProvider } from '../payments/attempts/ask.ts'
import { QUESTION_LEASE_MS } from '../payments/attempts/question.ts'
import { TOKEN_LEASE_MS } from '../payments/saved-methods/question.ts'
import { SUBSCRIPTION_LEASE_MS } from '../payments/subscriptions/work.ts'
import { CALL_TIMEOUTS } from '../providers/driver/timeouts.ts'
import { DRIVERS, isReady } from '../providers/registry.ts'
import { stripeDriver } from '../providers/stripe/driver.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { type StripeScene, setStripeScene, stripeSettings } from '../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { limitsOfCall } from './call-timeouts.ts'

describe('a claim lasts longer than the call that it covers', () => {
  test('whatever a driver states: the shortest fixed claim is twice as long as the longest call', () => {
    const mostMs = Math.max(...Object.values(CALL_TIMEOUTS).map((each) => each.mostMs))
    for (const leaseMs of [QUESTION_LEASE_MS, TOKEN_LEASE_MS, SUBSCRIPTION_LEASE_MS])
      expect(leaseMs).toBeGreaterThanOrEqual(2 * mostMs)
  })

  test('a shorter claim shortens the limit that is stated', () => {
    const driver = { timeouts: { writing: 30_000 } }
    expect(limitsOfCall({ driver }, 'writing', 16_000).timeoutMs).toBe(8_000)
  })
})

describe('in a whole Kassa', () => {
  let scene: StripeScene
  let kassa: Kassa
  let shop: Shop
  /** The limits of the calls since the last time: the account's route, the class, and the limit of each request. */
  let limits: [string, string | undefined, number | undefined][] = []
  beforeAll(async () => {
    scene = await setStripeScene()
    const timeouts = { question: 9_000, opening: 24_000, writing: 28_000 }
    DRIVERS.slow = { driver: { ...stripeDriver, timeouts } as never, settings: stripeDriver.settings }
    const settings = {
      ...stripeSettings('ROUTE_A', scene.server.origin),
      ...stripeSettings('ROUTE_B', scene.server.origin),
      ROUTE_B_DRIVER: 'slow',
      OPERATION_LEASE: '50',
    }
    kassa = await startKassa({ settings })
    shop = await openShop(kassa.ctx)
    const { providers, routes } = kassa.ctx
    const { open } = providers
    providers.open = (account, signal, about, way) => {
      const route = account.id === routes.route_b.id ? 'route_b' : 'route_a'
      limits.push([route, way?.lane, way?.timeoutMs])
      return open(account, signal, about, way)
    }
  })
  afterAll(async () => {
    await kassa.close()
    await scene.close()
    delete DRIVERS.slow
  })

  let orders = 0
  async function payAndRefund(provider: 'route_a' | 'route_b') {
    const key = `limits-${++orders}`
    const body = sessionRequest({ merchantOrderId: key, provider })
    const { body: session } = await createSession(kassa.url, shop, { key, body })
    scene.buyer({ url: session.providerCheckoutUrl }, 'visa')
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, session.id)
    if (!payment) throw new Error('no such payment')
    kassa.clock.advance(60_000)
    await SWEEPS.statusSync(kassa.ctx)
    const answer = await askOperation(kassa.url, shop, session.id, 'refunds', {
      key: `${key}-refund`,
      body: { amountMinor: 500, reason: 'late' },
    })
    expect(answer.status).toBe(201)
    await SWEEPS.moneyOperations(kassa.ctx)
    const seen = limits.filter(([route]) => route === provider)
    limits = []
    const of = (...lanes: string[]) => [
      ...new Set(seen.filter(([, lane = '']) => lanes.includes(lane)).map(([, , timeoutMs]) => timeoutMs)),
    ]
    return { opening: of('creation'), all: of('creation', 'money', 'schedule') }
  }

  test('each kind of call has the limit that the driver states, and other drivers keep the usual ones', async () => {
    expect(await payAndRefund('route_b')).toEqual({
      opening: [24_000],
      // The claim of an operation is 50 seconds here, so a write may take 25 and not 28.
      all: expect.arrayContaining([25_000, 9_000]),
    })
    const usual = await payAndRefund('route_a')
    expect(usual.opening).toEqual([undefined])
    expect(usual.all.toSorted()).toEqual([5_000, undefined])
  })

  test('a provider that never answers is given up after the limit of its driver, and not before a shorter one', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const key = 'limits-silent'
    const { body } = await createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key }),
    })
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, body.id)
    if (!payment) throw new Error('no such payment')
    const { route_a } = kassa.ctx.routes
    if (!isReady(route_a)) throw new Error('route_a is not ready')
    const settings = { ...route_a.settings, API_BASE: address }
    const ended: number[] = []
    const ask = async (question: number) => {
      const driver = { ...route_a.driver, timeouts: { question: question * 1_000 } }
      const found = await askProvider(kassa.ctx, { ...route_a, driver, settings }, payment)
      ended.push(question)
      return found
    }
    const answers = await Promise.all([ask(2), ask(1)])
    expect(ended).toEqual([1, 2])
    for (const answer of answers) expect(JSON.stringify(answer)).toContain('unavailable')
    silent.closeAllConnections()
    silent.close()
  })

  test('account show names each limit, and who states it', async () => {
    const show = async (id: string) =>
      (await operateHere(async () => kassa.ctx, ['account', 'show', '--account', id])).stdout
    const { route_a, route_b } = kassa.ctx.routes
    expect(await show(route_b.id)).toMatch(
      /Time limits +9 s for each request of a question \(of the driver\)/,
    )
    expect(await show(route_b.id)).toContain(
      '28 s for a refund, a capture, a void or a charge (of the driver)',
    )
    expect(await show(route_a.id)).toMatch(/Time limits +5 s for each request of a question\n/)
  })

  describe('an account that an earlier version stored with CALL_TIMEOUT', () => {
    const settings = ['--set', 'CUSTOMER=limits', '--set', 'SECRET=bks_test_limits']
    const set = (...args: string[]) => operateHere(async () => kassa.ctx, ['account', ...args])
    const stored = async () => {
      const { byOwner } = await kassa.ctx.accounts.read()
      const [entry] = byOwner.get(shop.merchantId) ?? []
      if (!entry?.account) throw new Error('the account cannot be opened')
      return { account: entry.account, record: entry.record }
    }

    test('works with the limits of its driver, and gets new settings without it', async () => {
      const where = ['--merchant', shop.merchantId, '--route', 'route_c', '--driver', 'sandbox']
      expect((await set('set', ...where, ...settings)).code).toBe(0)
      const { record } = await stored()
      await kassa.ctx.db.query(
        `update sandbox.accounts set settings = settings || '{"CALL_TIMEOUT": "writing 30"}', version = version + 1 where id = $1`,
        [record.id],
      )
      kassa.ctx.accounts.forget()
      const before = await stored()
      expect(before.record.settings).toHaveProperty('CALL_TIMEOUT')
      expect(limitsOfCall(before.account, 'writing').timeoutMs).toBe(20_000)

      const rotated = await set('rotate', '--account', record.id, '--set', 'SECRET=bks_test_limits_2')
      expect([rotated.code, rotated.stderr]).toEqual([0, ''])
      expect((await stored()).record.settings).not.toHaveProperty('CALL_TIMEOUT')
    })

    test('cannot be given one any more, and the message names the settings that there are', async () => {
      const where = ['--merchant', shop.merchantId, '--route', 'route_d', '--driver', 'sandbox']
      const refused = await set('set', ...where, ...settings, '--set', 'CALL_TIMEOUT=writing 30')
      expect(refused.code).not.toBe(0)
      expect(`${refused.stdout}${refused.stderr}`).toContain('has no such setting')
    })
  })
})
