/** PayPal in a whole Kassa: forged events, killed processes, and what must never be logged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { chargesOf, createSubscription, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { spawnKilledKassa } from '../../testing/processes/killed-kassa.ts'
import {
  type PaypalScene,
  paypalSettings,
  saveAccount,
  setPaypalScene,
} from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer, addWebhook, CLIENT_SECRET } from '../../testing/providers/paypal-server.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { modeStatedBy } from './settings.ts'
import type { SimOrder } from './simulator/books.ts'
import { CERT_PATH } from './simulator/events.ts'

/** Of the buyer and of the account: the simulator's answers carry them all. */
const PLANTED = [
  CLIENT_SECRET,
  'A21AA-simulated',
  'buyer-of-the-simulator',
  'Planted',
  'Buyername',
  'QYR5Z8XDVJNXQ',
]
const A_LEASE_MS = 100_000
const LIVE = 'https://api.paypal.com'

let scene: PaypalScene
beforeAll(async () => {
  scene = await setPaypalScene()
})
afterAll(() => scene.close())

const writes = async (id: string) =>
  (await scene.orders(id)).map(({ status, captures, refunds }) => [status, captures.length, refunds.length])

/** PayPal acts on a request that is `lost`, but the process dies without the response. Other requests are `not_reached`. */
const MOMENTS = ['lost', 'not_reached'] as const
type Moment = (typeof MOMENTS)[number]

/**
 * One process is killed while PayPal has all these requests of it. This comes first, because the test cannot move the clock of that
 * process.
 */
describe('a process that is killed', () => {
  const refunded = {} as Record<Moment, string>
  const captured = {} as Record<Moment, string>
  let subscription: string
  let ordersBefore: number
  let output: string
  /** What PayPal had when the process died. */
  let atDeath: Awaited<ReturnType<typeof lookAtPaypal>>

  const hold = (moment: Moment, end: string) =>
    scene.proxy.hold(moment, (method, path) => method === 'POST' && path.endsWith(end))
  const orderOf = async (id: string) => (await scene.orders(id))[0] as SimOrder
  const listOrders = () => [...scene.server.account.orders.values()].slice(ordersBefore)
  const renewals = () => listOrders().filter(({ vaultId }) => vaultId !== null)
  const opening = (moment: Moment) => {
    const key = `killed-${moment}`
    return { key, body: sessionRequest({ merchantOrderId: key, provider: 'route_a' }) }
  }
  async function later(ms: number): Promise<void> {
    await scene.later(ms)
    await SWEEPS.renewals(scene.kassa.ctx)
  }

  async function lookAtPaypal() {
    const orders = listOrders().map(({ vaultId, captures }) => [vaultId !== null, captures.length])
    const moments = async ({ lost, not_reached }: Record<Moment, string>) => [
      await writes(lost),
      await writes(not_reached),
    ]
    return { refunds: await moments(refunded), captures: await moments(captured), orders }
  }

  async function killAtRequests(token: string): Promise<void> {
    const held: Promise<void>[] = []
    for (const moment of MOMENTS) {
      const [capture] = (await orderOf(refunded[moment])).captures
      held.push(hold(moment, `/${capture?.id}/refund`))
      held.push(hold(moment, `/${(await orderOf(captured[moment])).id}/capture`))
    }
    const openings = MOMENTS.map((moment) => hold(moment, '/orders'))
    held.push(...openings, hold('lost', '/capture'))
    const settings = { LOG_LEVEL: 'trace', ...paypalSettings('ROUTE_A', scene.proxy.url) }
    const killed = await spawnKilledKassa(scene.kassa, settings, held)
    const ignore = () => {}
    for (const moment of MOMENTS)
      void fetch(`${killed.url}/checkout/${captured[moment]}/return`).catch(ignore)
    for (const [number, moment] of MOMENTS.entries()) {
      void createSession(killed.url, scene.shop, opening(moment)).catch(ignore)
      await openings[number]
    }
    const { body } = await createSubscription(killed.url, scene.shop, { body: subscriptionRequest(token) })
    subscription = body.subscription.id
    await killed.ended
    output = killed.output()
  }

  beforeAll(async () => {
    const token = await saveAccount(scene)
    for (const moment of MOMENTS) {
      refunded[moment] = await scene.pay()
      // The process works on both refunds at once, because both are due before it starts.
      await scene.ask(refunded[moment], 'refunds', { amountMinor: 700, reason: 'returned' })
      const { body } = await scene.open()
      await actAsBuyer(body.providerCheckoutUrl, 'pay')
      captured[moment] = body.id
    }
    scene.server.takeSent()
    ordersBefore = scene.server.account.orders.size
    await killAtRequests(token)
    atDeath = await lookAtPaypal()
    // PayPal tells only of the renewal, so the others are found again without it.
    const [order] = renewals()
    await scene.deliver(scene.server.takeSent().filter(({ body }) => body.includes(order?.id ?? '-')))
    for (let times = 0; times < 2; times++) await later(A_LEASE_MS)
    await scene.aWhileLater()
  })

  test('leaves at PayPal what PayPal has acted on', () => {
    expect(atDeath).toEqual({
      refunds: [[['COMPLETED', 1, 1]], [['COMPLETED', 1, 0]]],
      captures: [[['COMPLETED', 1, 0]], [['APPROVED', 0, 0]]],
      orders: [
        [false, 0],
        [true, 1],
      ],
    })
  })

  test('at the charge of a renewal: it is paid once, as soon as PayPal tells of it', async () => {
    expect(await chargesOf(scene.kassa, subscription)).toEqual(['paid'])
    expect(renewals().map(({ captures }) => captures.length)).toEqual([1])
  })

  test.each(MOMENTS)('at a refund (%s): the money goes back once', async (moment) => {
    expect(await writes(refunded[moment])).toEqual([['COMPLETED', 1, 1]])
    expect(await scene.status(refunded[moment])).toBe('partially_refunded')
  })

  test.each(MOMENTS)('at the capture of an approved order (%s): it is paid once', async (moment) => {
    expect(await writes(captured[moment])).toEqual([['COMPLETED', 1, 0]])
    expect(await scene.status(captured[moment])).toBe('paid')
  })

  test.each(MOMENTS)('at the opening of an order (%s): one order is open', async (moment) => {
    expect(listOrders().length - renewals().length).toBe(MOMENTS.length)
    const again = await createSession(scene.kassa.url, scene.shop, opening(moment))
    expect([again.status, again.body.status]).toEqual([200, 'pending_redirect'])
    expect((await scene.orders(again.body.id)).length).toBe(1)
    expect(listOrders().length - renewals().length).toBe(MOMENTS.length)
  })

  test('writes no credential and nothing of the buyer into its log', () => {
    expect(output).toContain('"level"')
    for (const planted of PLANTED) expect(output).not.toContain(planted)
  })
})

describe('a callback', () => {
  test('that is forged, foreign or of another time changes nothing', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    // The same event for another webhook, signed by PayPal as well.
    addWebhook(scene.server, 'https://elsewhere.example/hook', 'WEBHOOKELSEWHERE')
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.server.account.webhooks.delete('WEBHOOKELSEWHERE')
    const [genuine, foreign] = scene.server.takeSent()
    if (!genuine || !foreign) throw new Error('PayPal sent too little')
    const { headers } = genuine
    const forgeries = [
      { ...foreign, url: genuine.url },
      { ...genuine, body: genuine.body.replace('"19.00"', '"1.00"') },
      { ...genuine, body: `${genuine.body} ` },
      { ...genuine, headers: { 'content-type': 'application/json' } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-time': '2020-01-01T00:00:00Z' } },
      { ...genuine, headers: { ...headers, 'paypal-cert-url': `https://evil.example${CERT_PATH}` } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-sig': 'bm90LXNpZ25lZA==' } },
    ]
    expect(await scene.deliver(forgeries)).toEqual(forgeries.map(() => 403))
    expect(await scene.status(body.id)).toBe('pending_redirect')
    // The genuine one brings the money, and its replays bring nothing more.
    expect(await scene.deliver([genuine, genuine, genuine])).toEqual([200, 200, 200])
    expect(await scene.status(body.id)).toBe('paid')
    expect(await writes(body.id)).toEqual([['COMPLETED', 1, 0]])
  })

  test('of an earlier moment, sent after the refund, leaves the payment refunded', async () => {
    scene.server.takeSent()
    const id = await scene.pay()
    const earlier = scene.server.takeSent()
    await scene.ask(id, 'refunds', { amountMinor: 1_900, reason: 'returned' })
    await scene.later()
    expect(await scene.status(id)).toBe('refunded')
    await scene.deliver([...earlier].reverse())
    expect(await scene.status(id)).toBe('refunded')
    expect(await writes(id)).toEqual([['COMPLETED', 1, 1]])
  })

  test('while PayPal cannot be asked is not accepted, so that PayPal sends it again', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    scene.proxy.spoilNext('lost', (_, path) => path.includes('verify-webhook-signature'))
    expect(await scene.deliver(sent)).toEqual([503])
    expect(await scene.deliver(sent)).toEqual([200])
    expect(await scene.status(body.id)).toBe('paid')
  })
})

describe('an answer about real money', () => {
  test('pays nothing, and the payment gets a warning', async () => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    // The order's own address is that of PayPal's live API.
    scene.proxy.rewrite((text) =>
      text.replace(
        /"href":"http:[^"]*(\/v2\/checkout\/orders\/\w+)","rel":"self"/,
        `"href":"${LIVE}$1","rel":"self"`,
      ),
    )
    await scene.comeBack(back)
    await scene.later(60_000)
    scene.proxy.rewrite(null)
    expect([await scene.status(body.id), await writes(body.id)]).toEqual([
      'pending_redirect',
      [['APPROVED', 0, 0]],
    ])
    const { db } = scene.kassa.ctx
    const warnings = await listPaymentWarnings(db, scene.shop.merchantId, body.id)
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('this test account with an object of live mode'),
    ])
    await scene.aWhileLater()
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('with a webhook that is signed for real money is rejected', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    const live = sent.map((each) => ({
      ...each,
      headers: { ...each.headers, 'paypal-cert-url': `${LIVE}${CERT_PATH}` },
    }))
    expect([await scene.deliver(live), await scene.status(body.id)]).toEqual([[403], 'pending_redirect'])
  })

  test.each([
    [`${LIVE}/v2/checkout/orders/1`, 'live'],
    ['https://www.paypal.com/checkoutnow?token=1', 'live'],
    ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT', 'test'],
    ['https://www.sandbox.paypal.com/checkoutnow?token=1', 'test'],
    ['https://developer.paypal.com/docs/api/orders/v2/', null],
    ['https://api.paypal.com.evil.example/', null],
    ['http://127.0.0.1:1/', null],
    ['rubbish', null],
  ])('is told by the address %s: %s', (url, mode) => {
    expect(modeStatedBy(url)).toBe(mode)
  })
})
