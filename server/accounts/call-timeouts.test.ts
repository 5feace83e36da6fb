/** An operator sets how long a provider may take, for one account, within bounds that leave each claim longer than its call. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askProvider } from '../payments/attempts/ask.ts'
import { QUESTION_LEASE_MS } from '../payments/attempts/question.ts'
import { TOKEN_LEASE_MS } from '../payments/saved-methods/question.ts'
import { SUBSCRIPTION_LEASE_MS } from '../payments/subscriptions/work.ts'
import { isReady } from '../providers/registry.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { type StripeScene, setStripeScene, stripeSettings } from '../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { CALL_TIMEOUT_BOUNDS, limitsOfCall, questionTimeoutOf, readCallTimeouts } from './call-timeouts.ts'

describe('the setting', () => {
  test.each([
    ['question 8', { question: 8 }],
    ['opening 30, writing 25,question 1', { opening: 30, writing: 25, question: 1 }],
  ])('%s is read', (text, timeouts) => expect(readCallTimeouts(text)).toEqual(timeouts))

  test.each([
    ...[
      '',
      '8',
      'question',
      'question 0',
      'question 16',
      'opening 4',
      'opening 31',
      'writing 4',
      'writing 31',
    ],
    ...['question 1.5', 'question 8s', 'question 8; opening 9', 'question 8, question 9', 'reading 5'],
    ...['constructor 5', 'question 8,'],
  ])('%j is rejected', (text) => expect(readCallTimeouts(text)).toBeNull())
})

describe('a claim lasts longer than the call that it covers', () => {
  const longest = { question: 15, opening: 30, writing: 30 }

  test('whatever is set: the shortest fixed claim is twice as long as the longest call', () => {
    const mostMs = Math.max(...Object.values(CALL_TIMEOUT_BOUNDS).map(({ most }) => most)) * 1_000
    for (const leaseMs of [QUESTION_LEASE_MS, TOKEN_LEASE_MS, SUBSCRIPTION_LEASE_MS])
      expect(leaseMs).toBeGreaterThanOrEqual(2 * mostMs)
  })

  test('a shorter claim shortens the limit that is set', () => {
    const given = { usualMs: 20_000, leaseMs: 16_000 }
    expect(limitsOfCall({ callTimeouts: longest }, 'writing', given).timeoutMs).toBe(8_000)
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
    const own = stripeSettings('ROUTE_A', scene.server.origin)
    const settings = {
      ...own,
      ...stripeSettings('ROUTE_B', scene.server.origin),
      ROUTE_B_CALL_TIMEOUT: 'question 9, opening 24, writing 28',
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
    const asked = await askOperation(kassa.url, shop, session.id, 'refunds', {
      key: `${key}-refund`,
      body: { amountMinor: 500, reason: 'late' },
    })
    expect(asked.status).toBe(201)
    await SWEEPS.moneyOperations(kassa.ctx)
    const seen = limits.filter(([route]) => route === provider)
    limits = []
    const of = (...lanes: string[]) => [
      ...new Set(seen.filter(([, lane = '']) => lanes.includes(lane)).map(([, , timeoutMs]) => timeoutMs)),
    ]
    return { opening: of('creation'), all: of('creation', 'money', 'schedule') }
  }

  test('each class of calls has the limit that is set for this account, and other accounts keep theirs', async () => {
    expect(await payAndRefund('route_b')).toEqual({
      opening: [24_000],
      // The claim of an operation is 50 seconds here, so a write may take 25 and not 28.
      all: expect.arrayContaining([25_000, 9_000]),
    })
    const usual = await payAndRefund('route_a')
    expect(usual.opening).toEqual([undefined])
    expect(usual.all.toSorted()).toEqual([5_000, undefined])
  })

  test('a provider that never answers is given up after the limit of its account, and not before a shorter one', async () => {
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
      const account = { ...route_a, settings, callTimeouts: { question } }
      const found = await askProvider(kassa.ctx, account, payment)
      ended.push(question)
      return found
    }
    const answers = await Promise.all([ask(2), ask(1)])
    expect(ended).toEqual([1, 2])
    for (const answer of answers) expect(JSON.stringify(answer)).toContain('unavailable')
    silent.closeAllConnections()
    silent.close()
  })

  test('account show names each limit, and who has set it', async () => {
    const show = async (id: string) =>
      (await operateHere(async () => kassa.ctx, ['account', 'show', '--account', id])).stdout
    const { route_a, route_b } = kassa.ctx.routes
    expect(await show(route_b.id)).toMatch(/Time limits +9 s for each request of a question \(CALL_TIMEOUT\)/)
    expect(await show(route_b.id)).toContain(
      '28 s for a refund, a capture, a void or a charge (CALL_TIMEOUT)',
    )
    expect(await show(route_a.id)).toMatch(/Time limits +5 s for each request of a question\n/)
  })

  test("a merchant's own account has limits of its own, and a wrong one is refused with the bounds", async () => {
    const set = (timeouts: string) =>
      operateHere(
        async () => kassa.ctx,
        [
          ...['account', 'set', '--merchant', shop.merchantId, '--route', 'route_c', '--driver', 'sandbox'],
          ...['--set', 'CUSTOMER=limits', '--set', 'SECRET=bks_test_limits'],
          ...['--set', `CALL_TIMEOUT=${timeouts}`],
        ],
      )
    const wrong = await set('writing 60')
    expect([wrong.code === 0, `${wrong.stdout}${wrong.stderr}`]).toEqual([
      false,
      expect.stringContaining('question: 1 to 15, the others: 5 to 30'),
    ])
    expect((await set('writing 30')).code).toBe(0)
    const { byOwner } = await kassa.ctx.accounts.read()
    const [entry] = byOwner.get(shop.merchantId) ?? []
    if (!entry?.account) throw new Error('the account cannot be opened')
    expect(limitsOfCall(entry.account, 'writing', { usualMs: 20_000 }).timeoutMs).toBe(30_000)
    expect(questionTimeoutOf(entry.account)).toBe(5_000)
  })
})
