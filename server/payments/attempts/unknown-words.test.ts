/**
 * A word of a provider that this version does not know: a person learns of it at the payment and at the account, no money changes, and
 * the account takes payments as before.
 */
import { afterEach, expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { askOperation, readCapabilities } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { saveAccount, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000

const scene = closeAfter(await setPaypalScene())
afterEach(async () => {
  scene.proxy.rewrite(null)
  scene.server.account.refusals = []
  await aDayLater()
  expect((await health()).state).toBe('ok')
})

async function health() {
  const { ctx } = scene.kassa
  ctx.accounts.forget()
  await ctx.accounts.read()
  return recallHealth(ctx, scene.accountId)
}
const admin = async (...args: string[]) => (await operateHere(async () => scene.kassa.ctx, args)).stdout

/** A word that the provider does not use any more ends by itself at the account. */
async function aDayLater() {
  scene.kassa.clock.advance(25 * HOUR_MS)
  await health()
  await SWEEPS.accountHealth(scene.kassa.ctx)
}

async function expectUnclear(words: string) {
  expect(await health()).toMatchObject({ state: 'unclear', reason: expect.stringContaining(words) })
  expect(await admin('account', 'list')).toContain('unclear')
  const { body } = await readCapabilities(scene.kassa.url, scene.shop)
  const own = body.providers.find(({ id }: { id: string }) => id === 'route_a')
  expect(own.readiness.enabledForPaymentCreation).toBe(true)
  expect((await scene.open()).status).toBe(201)
}

test('an issue of tomorrow, with which a refund is refused', async () => {
  const id = await scene.pay()
  scene.server.account.refusals = [{ request: /\/refund$/, status: 422, issue: 'MOON_REFUND_RULE' }]
  const request = { key: 'refund-1', body: { amountMinor: 500, reason: 'returned' } }
  await askOperation(scene.kassa.url, scene.shop, id, 'refunds', request)
  await scene.later()
  await expectUnclear('"MOON_REFUND_RULE" as issue of a refusal')
  expect(await admin('payment', 'show', '--payment', id)).toContain('"MOON_REFUND_RULE" as issue')
  expect(await scene.payment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
})

test('a status of tomorrow, of a payment', async () => {
  const id = await scene.pay()
  scene.proxy.rewrite((text) => text.replaceAll('"status":"COMPLETED"', '"status":"SETTLING"'))
  await admin('payment', 'ask', '--payment', id)
  await expectUnclear('"SETTLING" as')
  expect(await scene.payment(id)).toMatchObject({ status: 'paid', capturedMinor: 1_900 })
})

test('a status of tomorrow, of a setup token: nothing is saved, and it is saved once PayPal says a known word', async () => {
  scene.proxy.rewrite((text) => text.replaceAll('"status":"APPROVED"', '"status":"ORBITING"'))
  const token = await saveAccount(scene)
  const status = async () => (await findSavedMethod(scene.kassa.ctx.db, scene.shop.merchantId, token))?.status
  await expectUnclear('"ORBITING" as setup token status')
  expect(await status()).toBe('pending')
  scene.proxy.rewrite(null)
  scene.kassa.clock.advance(60_000)
  await SWEEPS.cardSavings(scene.kassa.ctx)
  expect(await status()).toBe('active')
})
