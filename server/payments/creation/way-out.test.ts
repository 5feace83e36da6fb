/**
 * The buyer's way out: a route that cannot be used is not offered, and one that fails leads to the others. Never two orders
 * that can be paid.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { noteUnwell, TRIED_AGAIN_AFTER_MS } from '../../accounts/health.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import { CALL_TIMEOUTS } from '../../providers/driver/timeouts.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { STRIPE_KEY, setStripeScene, stripeSettings } from '../../testing/providers/stripe-scene.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const CARD = { route: 'route_a' as const, label: 'Bank card' }
const WALLET = { route: 'route_b' as const, label: 'Wallet' }

/** `cut`: the provider gets the request, and its answer is lost. */
type Line = 'open' | 'cut'

let line: Line
let proxy: ReturnType<typeof createServer>
let port: number
let kassa: Kassa
let shop: Shop
const sockets = new Set<Socket>()

const scene = await setStripeScene()
beforeAll(async () => {
  const target = Number(new URL(scene.server.origin).port)
  proxy = createServer((socket) => {
    const other = connect(target, '127.0.0.1')
    for (const each of [socket, other]) sockets.add(each.on('error', () => {}))
    socket.pipe(other)
    other.on('data', (data) => (line === 'cut' ? socket.destroy() : socket.write(data)))
    other.on('end', () => socket.end())
  })
  await listen(0)
  port = (proxy.address() as AddressInfo).port
  kassa = await startKassa({ settings: stripeSettings('ROUTE_A', `http://127.0.0.1:${port}`) })
})
beforeEach(async () => {
  line = 'open'
  if (!proxy.listening) await listen(port)
  shop = await openShop(kassa.ctx)
  await setMerchantRoutes(kassa.ctx, shop.merchantId, [CARD, WALLET])
})
afterEach(async () => {
  scene.account.keys.add(STRIPE_KEY)
  scene.account.expiredKeys.clear()
  await kassa.ctx.db.query('delete from sandbox.account_health')
  await reread()
})
afterAll(async () => {
  hangUp()
  await kassa.close()
  await scene.close()
})

async function listen(at: number): Promise<void> {
  proxy.listen(at, '127.0.0.1')
  await once(proxy, 'listening')
}
/** From now on nobody listens at the provider's address. */
function hangUp(): void {
  for (const socket of sockets) socket.destroy()
  proxy.close()
}
async function reread(): Promise<void> {
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
}

let orders = 0
async function create(): Promise<AttemptedPayment> {
  const key = `way-out-${++orders}`
  const body = sessionRequest({ merchantOrderId: key })
  const { status, body: session } = await createSession(kassa.url, shop, { key, body })
  expect(status).toBe(201)
  return find(session.id)
}
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
const attempts = async (payment: AttemptedPayment) =>
  (await listAttempts(kassa.ctx.db, payment)).map(({ provider, state }) => [provider, state])
async function see({ id }: AttemptedPayment, query = '') {
  const html = await (await fetch(`${kassa.url}/checkout/${id}${query}`)).text()
  const buttons = [...html.matchAll(/name="route" value="(\w+)"/g)].map(([, route]) => route)
  return {
    buttons,
    title: /<h1[^>]*>([^<]*)/.exec(html)?.[1],
    canTryAgain: html.includes('data-testid="pay"'),
  }
}
const choose = (payment: AttemptedPayment, route: string) => press(payment, { route })
const leave = (payment: AttemptedPayment) => press(payment, { leave: '1' })
async function press({ id }: AttemptedPayment, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(fields)
  const answer = await fetch(`${kassa.url}/checkout/${id}/continue`, {
    method: 'POST',
    redirect: 'manual',
    body,
  })
  return answer.headers.get('location') ?? ''
}
/** How many orders of this payment Stripe has. */
const atStripe = (payment: AttemptedPayment) =>
  [...scene.account.sessions.values()].filter((each) => JSON.stringify(each).includes(payment.id)).length

async function refuse(name: 'route_a' | 'route_b', state: 'refusing' | 'away'): Promise<void> {
  const { id } = kassa.ctx.routes[name]
  const given = state === 'refusing' ? ({ state, refusal: 'account' } as const) : { state }
  await noteUnwell(kassa.ctx, id, { ...given, reason: 'It is so.' })
  await reread()
}

test.each(['refusing', 'away'] as const)('a route whose account is %s is not offered', async (state) => {
  const payment = await create()
  expect((await see(payment)).buttons).toEqual(['route_a', 'route_b'])
  await refuse('route_a', state)
  expect((await see(payment)).buttons).toEqual(['route_b'])
  await refuse('route_b', state)
  const none = await see(payment)
  expect([none.title, none.buttons, none.canTryAgain]).toEqual([
    'Payment is not available right now',
    [],
    true,
  ])
})

test('a single route that can be used is opened at once, and its failure leads to the others once they are back', async () => {
  await refuse('route_b', 'away')
  expect(await attempts(await create())).toEqual([['route_a', 'open']])
  hangUp()
  const key = `way-out-${++orders}`
  const body = sessionRequest({ merchantOrderId: key })
  const { status } = await createSession(kassa.url, shop, { key, body })
  expect(status).toBe(503)
  await kassa.ctx.db.query('delete from sandbox.account_health')
  await reread()
  const again = await createSession(kassa.url, shop, { key, body })
  expect(again.status).toBe(503)
  await listen(port)
  expect((await createSession(kassa.url, shop, { key, body })).status).toBe(201)
})

test('a route whose account is refused at the click leads to the others', async () => {
  const payment = await create()
  scene.account.keys.delete(STRIPE_KEY)
  scene.account.expiredKeys.add(STRIPE_KEY)
  const back = await choose(payment, 'route_a')
  expect(back).toContain('unavailable=1')
  const page = await see(payment, '?unavailable=1')
  expect([page.title, page.buttons]).toEqual(['This way to pay is not available right now', ['route_b']])
  expect(await choose(payment, 'route_b')).toContain('/sandbox/bank/')
  expect([atStripe(payment), await attempts(payment)]).toEqual([
    0,
    [
      ['route_a', 'refused'],
      ['route_b', 'open'],
    ],
  ])
})

test('a provider that cannot be reached at the click leads to the others, and back to it later', async () => {
  const payment = await create()
  hangUp()
  expect(await choose(payment, 'route_a')).toContain('unavailable=1')
  expect((await see(payment, '?unavailable=1')).buttons).toEqual(['route_b'])
  kassa.clock.advance(TRIED_AGAIN_AFTER_MS)
  expect((await see(payment)).buttons).toEqual(['route_a', 'route_b'])
  expect(await choose(payment, 'route_b')).toContain('/sandbox/bank/')
  await listen(port)
  await SWEEPS.statusSync(kassa.ctx)
  expect(atStripe(payment)).toBe(0)
})

test('where the answer of the provider is lost, no other route is opened', async () => {
  const payment = await create()
  line = 'cut'
  await choose(payment, 'route_a')
  expect(atStripe(payment)).toBe(1)
  expect(await choose(payment, 'route_b')).not.toContain('/sandbox/bank/')
  line = 'open'
  kassa.clock.advance(CALL_TIMEOUTS.opening.usualMs + 1)
  // Stripe has the order, and the buyer goes on to it.
  expect(await choose(payment, 'route_b')).toContain(scene.server.origin)
  expect([atStripe(payment), await attempts(payment)]).toEqual([1, [['route_a', 'open']]])
})

test('an order that its provider can end is ended when the buyer leaves it, and kept while nobody knows', async () => {
  const payment = await create()
  expect(await choose(payment, 'route_a')).toContain(scene.server.origin)
  line = 'cut'
  expect(await leave(payment)).toContain('kept=1')
  expect([(await see(payment)).buttons, await attempts(payment)]).toEqual([[], [['route_a', 'open']]])
  line = 'open'
  expect(await leave(payment)).not.toContain('kept')
  expect([(await see(payment)).buttons, await attempts(payment)]).toEqual([
    ['route_a', 'route_b'],
    [['route_a', 'withdrawn']],
  ])
  expect(await choose(payment, 'route_b')).toContain('/sandbox/bank/')
  const ended = [...scene.account.sessions.values()].filter((each) =>
    JSON.stringify(each).includes(payment.id),
  )
  expect(ended.map(({ status }) => status)).toEqual(['expired'])
})

test('a form of another site leaves nothing', async () => {
  const payment = await create()
  await choose(payment, 'route_a')
  const foreign = await fetch(`${kassa.url}/checkout/${payment.id}/continue`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ leave: '1' }),
  })
  expect([foreign.status, await attempts(payment)]).toEqual([303, [['route_a', 'open']]])
})

test('where the provider says afterwards that it has no order, the others are offered', async () => {
  const bank = openLedger(kassa.ctx, { route: 'route_b' })
  changeDriver(kassa.ctx, 'route_b', {
    startCheckout: () => Promise.reject(new Error('the connection was lost')),
    keyed: undefined,
  })
  const payment = await create()
  await choose(payment, 'route_b')
  expect((await choose(payment, 'route_a')).startsWith(scene.server.origin)).toBe(false)
  expect(await attempts(payment)).toEqual([['route_b', 'opening']])
  kassa.clock.advance(CALL_TIMEOUTS.opening.usualMs + 1)
  expect(await choose(payment, 'route_a')).toContain(`/checkout/${payment.id}`)
  const page = await see(payment)
  expect([page.title, page.buttons]).toEqual(['This way to pay is not available right now', ['route_a']])
  expect(await choose(payment, 'route_a')).toContain(scene.server.origin)
  expect([bank.orders.size, atStripe(payment)]).toEqual([0, 1])
})
