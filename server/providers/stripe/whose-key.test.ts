/** A key of another Stripe account never becomes the key of ours, and ends no subscription. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rotateAccount } from '../../accounts/set.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { argv } from '../../testing/command-line.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import {
  chargesOf,
  createSubscription,
  createToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import type { Account } from '../../testing/providers/stripe/books.ts'
import {
  STRIPE_ACCOUNT,
  STRIPE_KEY,
  type StripeScene,
  setStripeScene,
} from '../../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const DAY_MS = 86_400_000
const FOREIGN_KEY = 'sk_test_key_of_somebody_else'

let scene: StripeScene
let foreign: Account
let kassa: Kassa
let shop: Shop
beforeEach(async () => {
  scene = await setStripeScene()
  foreign = scene.server.openAccount('acct_ofSomebodyElse', [FOREIGN_KEY])
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterEach(async () => {
  await kassa.close()
  await scene.close()
})

/** `stderr`: with --json a problem is part of the document. */
async function run(...args: string[]) {
  const ran = await operateHere(async () => kassa.ctx, ['account', ...args])
  return args.includes('--json') && ran.code !== 0 ? { ...ran, stderr: `${ran.stdout}${ran.stderr}` } : ran
}
const set = (key: string, ...more: string[]) =>
  run(
    ...argv`set --merchant ${shop.merchantId} --route route_a --driver stripe --json`,
    ...argv`--set ${`ACCOUNT=${STRIPE_ACCOUNT}`} ${`SECRET_KEY=${key}`} ${`API_BASE=${scene.server.origin}`}`,
    ...more,
  )

async function setRightKey(): Promise<string> {
  const { code, stdout } = await set(STRIPE_KEY)
  expect(code).toBe(0)
  return JSON.parse(stdout).accountId
}

async function statusOf(subscription: string): Promise<string> {
  const { rows } = await kassa.ctx.db.query('select status from sandbox.subscriptions where id = $1', [
    subscription,
  ])
  return rows[0].status
}

test('account set rejects the key of another Stripe account, and stores nothing', async () => {
  const { code, stderr } = await set(FOREIGN_KEY)
  expect([code === 0, stderr]).toEqual([
    false,
    expect.stringContaining(`These credentials belong to acct_ofSomebodyElse, and not to ${STRIPE_ACCOUNT}.`),
  ])
  expect((await run('list', '--merchant', shop.merchantId)).stdout).not.toContain('stripe')
})

test('account set rejects a key that Stripe does not accept', async () => {
  const { code, stderr } = await set('sk_test_unknown_key')
  expect([code === 0, stderr]).toEqual([
    false,
    expect.stringContaining('Stripe does not accept the secret key'),
  ])
})

test('account set accepts the right key, and a key that may not say whose it is only unchecked', async () => {
  scene.account.forbidden.add('GET account')
  const refused = await set(STRIPE_KEY)
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('--unchecked')])
  const unchecked = await set(STRIPE_KEY, '--unchecked')
  expect([unchecked.code, unchecked.stderr]).toEqual([0, ''])
  scene.account.forbidden.clear()
  await setRightKey()
})

test('account rotate rejects the key of another Stripe account, and new checkouts stay', async () => {
  const accountId = await setRightKey()
  const { code, stderr } = await run('rotate', '--account', accountId, '--set', `SECRET_KEY=${FOREIGN_KEY}`)
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('belong to acct_ofSomebodyElse')])
  const { status } = await createSession(kassa.url, shop, { key: 'whose-1', body: sessionRequest() })
  expect([status, foreign.sessions.size, scene.account.sessions.size]).toEqual([201, 0, 1])
  expect((await run('rotate', '--account', accountId, '--set', `SECRET_KEY=${STRIPE_KEY}`)).code).toBe(0)
})

test('a renewal with the key of another account ends no subscription: it is charged once the right key is back', async () => {
  const accountId = await setRightKey()
  const saving = await createToken(kassa.url, shop)
  scene.buyer({ url: saving.body.setupUrl }, 'visa')
  await fetch(`${kassa.url}/payment-method-tokens/${saving.body.token.id}/return`, { redirect: 'manual' })
  const body = subscriptionRequest(saving.body.token.id, { interval: 'month' })
  const { subscription } = (await createSubscription(kassa.url, shop, { body })).body
  await SWEEPS.renewals(kassa.ctx)
  const later = async (ms: number) => {
    kassa.clock.advance(ms)
    await scene.later(ms)
    await SWEEPS.renewals(kassa.ctx)
  }
  await rotateAccount(kassa.ctx, accountId, { SECRET_KEY: FOREIGN_KEY })
  await later(31 * DAY_MS + 1_000)
  await later(3_600_000)
  expect(await statusOf(subscription.id)).not.toBe('cancelled')
  await rotateAccount(kassa.ctx, accountId, { SECRET_KEY: STRIPE_KEY })
  for (let days = 0; days < 3; days++) await later(DAY_MS)
  const charges = await chargesOf(kassa, subscription.id)
  expect([charges[0], charges.at(-1), await statusOf(subscription.id)]).toEqual(['paid', 'paid', 'active'])
  expect([charges.length > 1, foreign.intents.size]).toEqual([true, 0])
})
