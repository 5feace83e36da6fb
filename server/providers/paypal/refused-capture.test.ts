/**
 * A buyer has approved, and PayPal refuses the shop's account, or rejects the capture for the moment. That is no decline of the
 * buyer, and nobody reads that the payment is over while it may still be captured.
 */
import { afterEach, expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { resetAccountHealth } from '../../storage/accounts/health.ts'
import { lookUp, readCapabilities, readPage } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import type { SimRefusal } from '../../testing/providers/paypal/books.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const CAPTURE = /\/orders\/[^/]+\/(capture|authorize)$/
const LANGUAGES = { en: 'at the moment', ru: 'сейчас не может принять', hy: 'այս պահին' }

const scene = closeAfter(await setPaypalScene())
afterEach(async () => {
  const { ctx, clock } = scene.kassa
  scene.server.account.refusals = []
  await resetAccountHealth(ctx.db, scene.accountId, clock.now())
  ctx.accounts.forget()
})

const refuse = (status: SimRefusal['status'], issue: string, more: Partial<SimRefusal> = {}) => {
  scene.server.account.refusals = [{ request: CAPTURE, status, issue, ...more }]
}
async function approve(): Promise<string> {
  const { body } = await scene.open()
  await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))
  return body.id
}
const pageOf = async (id: string, locale = 'en') =>
  (await readPage(`${scene.kassa.url}/checkout/${id}?locale=${locale}`)).html
async function health() {
  const { ctx } = scene.kassa
  ctx.accounts.forget()
  await ctx.accounts.read()
  return recallHealth(ctx, scene.accountId)
}
async function isReady(): Promise<boolean> {
  scene.kassa.ctx.accounts.forget()
  const { body } = await readCapabilities(scene.kassa.url, scene.shop)
  const own = body.providers.find(({ id }: { id: string }) => id === 'route_a')
  return own.readiness.enabledForPaymentCreation
}

test.each([
  [422, 'PAYEE_ACCOUNT_RESTRICTED', 'account'],
  [422, 'PAYEE_ACCOUNT_LOCKED_OR_CLOSED', 'account'],
  [422, 'TRANSACTION_RECEIVING_LIMIT_EXCEEDED', 'account'],
  [403, 'PERMISSION_DENIED', 'rights'],
  [422, 'AUTH_CAPTURE_NOT_ENABLED', 'rights'],
] as const)(
  '%s %s at a capture is about the account, and is paid once it is over',
  async (status, issue, refusal) => {
    refuse(status, issue)
    const id = await approve()
    expect(await health()).toMatchObject({
      state: 'refusing',
      refusal,
      reason: expect.stringContaining(issue),
    })
    expect(await isReady()).toBe(false)
    for (const [locale, words] of Object.entries(LANGUAGES)) {
      const html = await pageOf(id, locale)
      expect(html).toContain(words)
      expect(html).not.toMatch(/<button[^>]*class="pay|Try another card|Try again/)
    }
    expect((await lookUp(scene.kassa.url, scene.shop, id)).body).toMatchObject({
      status: 'pending_payment',
      processingSince: expect.any(String),
    })
    expect(
      (await operateHere(async () => scene.kassa.ctx, ['payment', 'show', '--payment', id])).stdout,
    ).toContain('has not let this account take the money')
    scene.server.account.refusals = []
    await scene.later(HOUR_MS)
    expect(await scene.status(id)).toBe('paid')
    expect((await health()).state).toBe('ok')
    await scene.expectReconciled(id)
  },
)

test('that PayPal opens orders does not show that it takes their money', async () => {
  refuse(422, 'PAYEE_ACCOUNT_RESTRICTED')
  await approve()
  // After a while a payment is tried all the same.
  scene.kassa.clock.advance(6 * MINUTE_MS)
  expect((await scene.open()).status).toBe(201)
  expect((await health()).state).toBe('refusing')
  expect(await isReady()).toBe(false)
  scene.server.account.refusals = []
  scene.kassa.clock.advance(6 * MINUTE_MS)
  expect(await scene.status(await approve())).toBe('paid')
  expect((await health()).state).toBe('ok')
})

test('the payment does not end while the approval stands, and ends once PayPal has forgotten it', async () => {
  refuse(422, 'PAYEE_ACCOUNT_RESTRICTED')
  const id = await approve()
  const { expiresAt } = await scene.payment(id)
  await scene.later(expiresAt.getTime() - scene.kassa.clock.now().getTime() + 45 * MINUTE_MS)
  expect(await scene.payment(id)).toMatchObject({ status: 'pending_payment' })
  expect(await pageOf(id)).toContain('nothing has been taken yet')
  scene.server.account.orders.clear()
  scene.server.account.refusals = []
  for (let hours = 0; hours < 6; hours++) await scene.later(HOUR_MS)
  expect(await scene.status(id)).toBe('expired')
})

test('a capture that PayPal does not take for the moment is made once, soon after the pause that PayPal wants', async () => {
  refuse(429, 'RATE_LIMIT_REACHED', { times: 2, retryAfterSeconds: 60 })
  const id = await approve()
  expect((await health()).state).toBe('ok')
  expect(await scene.status(id)).toBe('pending_payment')
  for (let tries = 0; tries < 4; tries++) await scene.later(3 * MINUTE_MS)
  expect(await scene.status(id)).toBe('paid')
  await scene.expectReconciled(id)
})
