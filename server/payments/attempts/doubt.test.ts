/**
 * Answers that nobody can read, and orders that a provider does not know although it must: a person learns of them at once, at the
 * payment and at the account, the questions go on, and nothing ends because of them.
 */
import { afterEach, expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { listDesk } from '../../operator/desk/desk.ts'
import { operateHere } from '../../testing/operator.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const scene = closeAfter(await setPaypalScene())
afterEach(() => {
  scene.proxy.rewrite(null)
  scene.proxy.answerWith(null)
})

async function health() {
  const { ctx } = scene.kassa
  ctx.accounts.forget()
  await ctx.accounts.read()
  return recallHealth(ctx, scene.accountId)
}
const show = async (id: string) =>
  (await operateHere(async () => scene.kassa.ctx, ['payment', 'show', '--payment', id])).stdout
const listed = async () => (await operateHere(async () => scene.kassa.ctx, ['account', 'list'])).stdout
/** Every payment so far: the schedule has asked about them too. */
const all: string[] = []
const askAll = async () => {
  for (const id of all) await ask(id)
}
const waiting = async () => JSON.stringify(await listDesk(scene.kassa.ctx, { limit: 100 }))
const ask = (id: string) => operateHere(async () => scene.kassa.ctx, ['payment', 'ask', '--payment', id])
const ORDERS = (method: string, path: string) => method === 'GET' && path.startsWith('/v2/checkout/orders/')

test.each([
  ['a page of another server', '<h1>We are back soon</h1>'],
  ['another shape', '{"id":"5O190127TN364715T","status":"COMPLETED"}'],
])('%s in place of the answer about a paid payment is told at once, and ends by itself', async (_, body) => {
  const id = await scene.pay()
  all.push(id)
  expect(await scene.status(id)).toBe('paid')
  scene.proxy.answerWith({ status: 200, body, isMeant: ORDERS })
  await ask(id)
  expect(await show(id)).toContain("the provider's answer could not be read")
  expect(await waiting()).toContain(id)
  expect((await health()).state).toBe('unclear')
  expect(await listed()).toContain('unclear')
  // It sells on, and the status stays.
  const other = await scene.open()
  expect(other.status).toBe(201)
  all.push(other.body.id)
  await scene.later(80 * MINUTE_MS)
  expect(await scene.status(id)).toBe('paid')
  scene.proxy.answerWith(null)
  await ask(other.body.id)
  expect((await health()).state).toBe('unclear')
  await askAll()
  expect((await health()).state).toBe('ok')
  expect(await waiting()).not.toContain(id)
  // The same again is told again.
  scene.proxy.answerWith({ status: 200, body, isMeant: ORDERS })
  await ask(id)
  expect(await waiting()).toContain(id)
  scene.proxy.answerWith(null)
  await askAll()
})

test('an order that has brought money and is not known any more is told at once, and the payment stays paid', async () => {
  const id = await scene.pay()
  const [order] = await scene.orders(id)
  scene.server.account.orders.delete(order?.id ?? '')
  await ask(id)
  expect(await show(id)).toContain('does not know the order, although it has brought money')
  expect((await health()).state).toBe('unclear')
  for (let days = 0; days < 3; days++) await scene.later(DAY_MS)
  expect(await scene.status(id)).toBe('paid')
  // A person has looked at it: the account is well again at the next look.
  await operateHere(async () => scene.kassa.ctx, ['desk', 'settle', '--payment', id, '--why', 'another app'])
  scene.kassa.clock.advance(HOUR_MS)
  await health()
  await SWEEPS.accountHealth(scene.kassa.ctx)
  expect((await health()).state).toBe('ok')
})

test('an order that PayPal has opened and does not know a little later is told, and one that has lapsed is not', async () => {
  const { body } = await scene.open()
  const [order] = await scene.orders(body.id)
  scene.kassa.clock.advance(5 * MINUTE_MS)
  scene.server.account.orders.delete(order?.id ?? '')
  await ask(body.id)
  expect(await show(body.id)).toContain('does not know the order, although it has opened it')
  const lapsed = (await scene.open()).body.id
  await scene.later(4 * HOUR_MS)
  await scene.later(HOUR_MS)
  expect(await scene.status(lapsed)).toBe('expired')
  expect(await waiting()).not.toContain(lapsed)
})
