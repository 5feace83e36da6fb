/** An account that cannot be used is noticed, gets no new payments, and is used again by itself once it is in order. */
import { afterAll, afterEach, expect, test } from 'vitest'
import { createSession, lookUp, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { openStripeShop, STRIPE_KEY } from '../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { TRIED_AGAIN_AFTER_MS } from './health.ts'
import { listAccounts } from './manage.ts'

const { close, kassa, restoreAccount, scene, shop } = await openStripeShop()
afterEach(restoreAccount)
afterAll(close)

let orders = 0
async function create() {
  const key = `health-${++orders}`
  const { status, body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  return { status, body }
}
async function health() {
  const { id } = kassa.ctx.routes.route_a
  return (await listAccounts(kassa.ctx)).find(({ accountId }) => accountId === id)?.health
}
async function readiness() {
  const { body } = await readCapabilities(kassa.url, shop)
  return body.providers.find(({ id }: { id: string }) => id === 'route_a').readiness
}
async function countQuestions(): Promise<number> {
  await kassa.ctx.exchangeLog.flush()
  const { rows } = await kassa.ctx.db.query(
    `select count(*)::int as count from sandbox.provider_exchanges where url like '%checkout/sessions%'`,
  )
  return rows[0].count
}

test('a revoked key makes the account refusing, and nothing new is sent until the key is back', async () => {
  scene.account.keys.delete(STRIPE_KEY)
  scene.account.expiredKeys.add(STRIPE_KEY)
  expect((await create()).status).toBe(503)
  expect(await health()).toEqual({
    state: 'refusing',
    since: expect.any(String),
    reason: 'Stripe does not accept the secret key. It may be revoked or expired.',
    advice: 'Give the account valid credentials.',
  })
  const before = await countQuestions()
  const { status, body } = await create()
  expect([status, body.error]).toMatchObject([503, { code: 'provider_unavailable', retryable: false }])
  expect(await countQuestions()).toBe(before)
  expect(await readiness()).toEqual({
    enabledForPaymentCreation: false,
    reason: 'The payment provider does not accept the account of this route now.',
    missingEnv: [],
  })
  const { stdout } = await operateHere(async () => kassa.ctx, ['account', 'list'])
  expect(stdout).toMatch(
    /refusing since .*Stripe does not accept the secret key.*Give the account valid credentials\./s,
  )

  kassa.clock.advance(61_000)
  await SWEEPS.accountHealth(kassa.ctx)
  expect((await health())?.state).toBe('refusing')
  scene.account.keys.add(STRIPE_KEY)
  scene.account.expiredKeys.clear()
  kassa.clock.advance(300_000)
  await SWEEPS.accountHealth(kassa.ctx)
  expect((await health())?.state).toBe('ok')
  expect((await create()).status).toBe(201)
  expect(await readiness()).toMatchObject({ enabledForPaymentCreation: true })
})

test('an account that is not activated is tried again after a while, and a payment that it takes makes it well', async () => {
  scene.account.isActivated = false
  expect((await create()).status).toBe(503)
  const before = await countQuestions()
  expect((await create()).status).toBe(503)
  expect(await countQuestions()).toBe(before)
  scene.account.isActivated = true
  kassa.clock.advance(TRIED_AGAIN_AFTER_MS + 1)
  expect((await create()).status).toBe(201)
  expect((await health())?.state).toBe('ok')
})

test('a payment that is under way when the key is revoked is neither failed nor expired by that', async () => {
  const { body } = await create()
  scene.account.keys.delete(STRIPE_KEY)
  scene.account.expiredKeys.add(STRIPE_KEY)
  kassa.clock.advance(3 * 3_600_000)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await health())?.state).toBe('refusing')
  expect((await lookUp(kassa.url, shop, body.id)).body.status).toBe('pending_redirect')
  scene.account.keys.add(STRIPE_KEY)
  scene.account.expiredKeys.clear()
  kassa.clock.advance(3_600_000)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await health())?.state).toBe('ok')
  expect((await lookUp(kassa.url, shop, body.id)).body.status).toBe('expired')
})
