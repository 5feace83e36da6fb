/** Saved PayPal accounts and renewals in a whole Kassa: each period is charged once, whatever goes wrong. */
import { describe, expect, test } from 'vitest'
import { applyStatus } from '../../payments/transition.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import {
  cancelSubscription,
  chargesOf,
  createSubscription,
  createToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import type { Transmission } from '../../testing/providers/paypal/books.ts'
import { endToken } from '../../testing/providers/paypal/vault.ts'
import { saveAccount, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer, addWebhook } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const scene = closeAfter(await setPaypalScene())

const HOUR_MS = 3_600_000
const isCharge = (method: string, path: string) => method === 'POST' && path.endsWith('/orders')
/** From now on no charge reaches PayPal, or no answer reaches us (`lost`), until the returned function is called. */
function loseCharges(fault: 'lost' | 'not_reached' = 'not_reached'): () => void {
  const isMeant = (method: string, path: string) => {
    if (isCharge(method, path)) queueMicrotask(spoil)
    return isCharge(method, path)
  }
  const spoil = () => scene.proxy.spoilNext(fault, isMeant)
  spoil()
  return () => scene.proxy.spoilNext('not_reached', () => false)
}
let boxes = 0

/** Returns the subscription's id. Its first charge is due at once. */
async function subscribe(url: string, tokenId: string): Promise<string> {
  const body = subscriptionRequest(tokenId, { merchantSubscriptionId: `box-${++boxes}` })
  const answer = await createSubscription(url, scene.shop, { body })
  expect(answer.status).toBe(201)
  return answer.body.subscription.id
}
async function later(ms = 0): Promise<void> {
  await scene.later(ms)
  await SWEEPS.renewals(scene.kassa.ctx)
}
/** Returns what PayPal has taken from saved accounts since there were `before` orders. */
const taken = (before: number) =>
  [...scene.server.account.orders.values()].slice(before).filter(({ captures }) => captures.length > 0).length
const countOrders = () => scene.server.account.orders.size

const charges = (subscriptionId: string) => chargesOf(scene.kassa, subscriptionId)
const statusOf = async (id: string) =>
  (await findSavedMethod(scene.kassa.ctx.db, scene.shop.merchantId, id))?.status

/** The buyer removes the shop in the settings of the PayPal account. */
function removeAtPaypal(): void {
  const { account, paypal } = scene.server
  const token = [...account.tokens.values()].at(-1)
  if (!token) throw new Error('PayPal keeps no account')
  endToken(paypal.world, account, token)
}

/** This comes first: later the subscriptions of other tests would be charged too when the clock moves by months. */
describe('a webhook about a saved PayPal account', () => {
  test('that was removed at PayPal ends it and its subscription; forged and foreign ones change nothing', async () => {
    const [other, token] = [await saveAccount(scene), await saveAccount(scene)]
    const id = await subscribe(scene.kassa.url, token)
    await later()
    scene.server.takeSent()
    addWebhook(scene.server, 'https://elsewhere.example/hook', 'WEBHOOKELSEWHERE')
    removeAtPaypal()
    scene.server.account.webhooks.delete('WEBHOOKELSEWHERE')
    const [genuine, foreign] = scene.server.takeSent() as [Transmission, Transmission]
    const forgeries = [
      { ...genuine, body: `${genuine.body} ` },
      { ...genuine, headers: {} },
      { ...foreign, url: genuine.url },
    ]
    expect(await scene.deliver(forgeries)).toEqual([403, 403, 403])
    expect(await statusOf(token)).toBe('active')
    expect(await scene.deliver([genuine, genuine])).toEqual([200, 200])
    expect([await statusOf(token), await statusOf(other)]).toEqual(['revoked', 'active'])
    for (let times = 0; times < 2; times++) await later(40 * 24 * HOUR_MS)
    expect(await charges(id)).toEqual(['paid'])
    const subscription = await findSubscription(scene.kassa.ctx.db, scene.shop.merchantId, id)
    expect(subscription?.cancelReason).toBe('token_revoked')
  })

  test('while PayPal cannot be asked is not accepted, so that PayPal sends it again', async () => {
    const token = await saveAccount(scene)
    scene.server.takeSent()
    removeAtPaypal()
    const sent = scene.server.takeSent()
    scene.proxy.spoilNext('lost', (method, path) => method === 'GET' && path.includes('payment-tokens'))
    expect([await scene.deliver(sent), await statusOf(token)]).toEqual([[503], 'active'])
    expect([await scene.deliver(sent), await statusOf(token)]).toEqual([[200], 'revoked'])
  })

  test('that has just been made activates it, if the answer that made it was lost', async () => {
    const { body } = await createToken(scene.kassa.url, scene.shop)
    const back = await actAsBuyer(body.setupUrl, 'pay')
    scene.server.takeSent()
    scene.proxy.spoilNext('lost', (method, path) => method === 'POST' && path.endsWith('payment-tokens'))
    await scene.comeBack(back)
    expect(await statusOf(body.token.id)).toBe('pending')
    expect(await scene.deliver()).toEqual([200])
    expect(await statusOf(body.token.id)).toBe('active')
  })
})

describe('a renewal', () => {
  test.each(['none', 'lost', 'error_500', 'half', 'empty'] as const)(
    '%s at the charge: it is paid once',
    async (fault) => {
      const token = await saveAccount(scene)
      const before = countOrders()
      if (fault !== 'none') scene.proxy.spoilNext(fault, isCharge)
      const id = await subscribe(scene.kassa.url, token)
      for (let minute = 0; minute < 4; minute++) await later(minute * 60_000)
      expect(await charges(id)).toEqual(['paid'])
      expect(taken(before)).toBe(1)
    },
  )

  test('that falls due while PayPal cannot be reached is sent when PayPal is back, and is no failed try', async () => {
    const token = await saveAccount(scene)
    const before = countOrders()
    await scene.proxy.setAway(true)
    const id = await subscribe(scene.kassa.url, token)
    for (let minutes = 0; minutes < 90; minutes += 15) await later(15 * 60_000)
    expect([await charges(id), taken(before)]).toEqual([['pending_payment'], 0])
    await scene.proxy.setAway(false)
    await later(15 * 60_000)
    expect([await charges(id), taken(before)]).toEqual([['paid'], 1])
    const subscription = await findSubscription(scene.kassa.ctx.db, scene.shop.merchantId, id)
    expect(subscription?.status).toBe('active')
  })

  test('waits while PayPal restricts the account of the shop, and is no failed try', async () => {
    const token = await saveAccount(scene, 'decline')
    const saved = [...scene.server.account.tokens.values()].at(-1)
    Object.assign(saved ?? {}, { refusal: 'PAYEE_ACCOUNT_RESTRICTED' })
    const id = await subscribe(scene.kassa.url, token)
    for (let hour = 0; hour < 8; hour += 2) await later(2 * HOUR_MS)
    expect(await charges(id)).toEqual(['pending_payment'])
    Object.assign(saved ?? {}, { instrument: 'good' })
    await later(HOUR_MS)
    expect(await charges(id)).toEqual(['paid'])
  })

  test('waits while PayPal refuses the credentials, and is no failed try', async () => {
    const token = await saveAccount(scene)
    const before = countOrders()
    const { account } = scene.server
    const { secret } = account
    // Also the access token that is in use ends.
    account.secret = 'rotated-at-paypal'
    account.accessTokens.clear()
    const id = await subscribe(scene.kassa.url, token)
    for (let hour = 0; hour < 8; hour += 2) await later(2 * HOUR_MS)
    expect([await charges(id), taken(before)]).toEqual([['pending_payment'], 0])
    account.secret = secret
    await later(HOUR_MS)
    expect([await charges(id), taken(before)]).toEqual([['paid'], 1])
  })

  test('whose answer is lost is paid as soon as PayPal tells of it', async () => {
    const token = await saveAccount(scene)
    const arriveAgain = loseCharges('lost')
    const id = await subscribe(scene.kassa.url, token)
    scene.server.takeSent()
    await later()
    expect(await charges(id)).toEqual(['pending_payment'])
    expect(await scene.deliver()).toEqual([200])
    arriveAgain()
    expect(await charges(id)).toEqual(['paid'])
  })

  test('is not sent again after the subscription was cancelled', async () => {
    const token = await saveAccount(scene)
    const before = countOrders()
    const arriveAgain = loseCharges()
    const id = await subscribe(scene.kassa.url, token)
    await later()
    expect((await cancelSubscription(scene.kassa.url, scene.shop, id)).status).toBe(201)
    arriveAgain()
    for (let minutes = 0; minutes < 60; minutes += 15) await later(15 * 60_000)
    expect([await charges(id), taken(before)]).toEqual([['pending_payment'], 0])
    await later(6 * HOUR_MS)
    expect([await charges(id), taken(before)]).toEqual([['status_unknown'], 0])
  })

  test('that PayPal has forgotten waits for a person, and after the decision the next one is charged', async () => {
    const token = await saveAccount(scene)
    const before = countOrders()
    const arriveAgain = loseCharges()
    const id = await subscribe(scene.kassa.url, token)
    await later()
    await later(5 * HOUR_MS)
    expect(await charges(id)).toEqual(['pending_payment'])
    await later(HOUR_MS)
    expect(await charges(id)).toEqual(['status_unknown'])
    arriveAgain()
    await later(6 * HOUR_MS)
    expect([await charges(id), taken(before)]).toEqual([['status_unknown'], 0])
    const { merchantId } = scene.shop
    const [charge] = await listSubscriptionCharges(scene.kassa.ctx.db, { merchantId, subscriptionId: id })
    const decided = {
      to: 'failed',
      cause: 'operator',
      actor: 'ani',
      detail: 'PayPal has no such payment',
    } as const
    await applyStatus(scene.kassa.ctx, { merchantId, id: charge?.paymentId ?? '' }, decided)
    for (let days = 0; days < 4; days++) await later(24 * HOUR_MS)
    expect([await charges(id), taken(before)]).toEqual([['failed', 'paid'], 1])
  })

  test('that PayPal declines is failed, and nothing is taken', async () => {
    const token = await saveAccount(scene, 'decline')
    const before = countOrders()
    const id = await subscribe(scene.kassa.url, token)
    await later()
    await later(60_000)
    expect(await charges(id)).toEqual(['failed'])
    expect(taken(before)).toBe(0)
  })

  test('that the buyer would have to confirm is failed, and nothing is taken', async () => {
    const token = await saveAccount(scene, 'decline')
    const saved = [...scene.server.account.tokens.values()].at(-1)
    Object.assign(saved ?? {}, { refusal: 'PAYER_ACTION_REQUIRED' })
    const before = countOrders()
    const id = await subscribe(scene.kassa.url, token)
    await later()
    expect([await charges(id), taken(before), countOrders()]).toEqual([['failed'], 0, before + 1])
  })
})
