/** What capabilities tell a shop platform: whose token it is, where its events go, and how amounts are written. */
import { expect, test } from 'vitest'
import { createSession, payAtBank, readCapabilities } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { startReceiver } from '../testing/receiver.ts'
import { openKassa } from '../testing/scene.ts'
import { FALLS_DUE } from '../worker/due-times.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { verifyCallback } from './check.ts'
import { ORDER_BOOK_URL, setCallback } from './receiver.ts'

const kassa = await openKassa()

const callbackOf = async (shop: Shop) => (await readCapabilities(kassa.url, shop)).body.callback

let orders = 0
/** A payment is paid, and its event is delivered. */
async function sell(shop: Shop): Promise<void> {
  const { body } = await createSession(kassa.url, shop, { key: `standing-${++orders}` })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  await SWEEPS.statusSync(kassa.ctx)
  await FALLS_DUE.deliveries.work(kassa.ctx)
}

test('a shop without a callback URL reads that its events go to nobody, and how amounts are written', async () => {
  const shop = await openShop(kassa.ctx)
  const { body } = await readCapabilities(kassa.url, shop)
  expect(body).toMatchObject({
    merchant: { id: shop.merchantId, name: 'Test shop' },
    currencyDigits: { AMD: 2, USD: 2, EUR: 2 },
  })
  expect(body.callback).toEqual({ kind: 'none', verified: false })
})

test('a callback URL shows whether it was verified, and when it last accepted an event, until it changes', async () => {
  const receiver = await startReceiver(() => 200)
  try {
    const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    expect(await callbackOf(shop)).toEqual({ kind: 'url', verified: false })
    await sell(shop)
    const { lastAcceptedAt } = await callbackOf(shop)
    expect(Math.abs(Date.parse(lastAcceptedAt) - kassa.clock.now().getTime())).toBeLessThan(60_000)
    kassa.clock.advance(30_000)
    await sell(shop)
    expect((await callbackOf(shop)).lastAcceptedAt).toBe(lastAcceptedAt)
    kassa.clock.advance(61_000)
    await sell(shop)
    expect(Date.parse((await callbackOf(shop)).lastAcceptedAt)).toBeGreaterThan(Date.parse(lastAcceptedAt))
    await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
    expect(await callbackOf(shop)).toEqual({ kind: 'order_book', verified: false })
  } finally {
    await receiver.close()
  }
})

test('an event that the receiver refuses was not accepted', async () => {
  const receiver = await startReceiver(() => 500)
  try {
    const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    await sell(shop)
    expect(await callbackOf(shop)).toEqual({ kind: 'url', verified: false })
  } finally {
    await receiver.close()
  }
})

test('a URL that has passed the check is verified, and another URL is not', async () => {
  const shop = await openShop(kassa.ctx, { callbackUrl: 'https://shop.example/events' })
  let sent = 0
  await verifyCallback(kassa.ctx, shop.merchantId, {
    post: async () => {
      sent++
      // The valid event and its repetition.
      const statusCode = sent === 1 || sent === 6 ? 200 : 401
      return { kind: 'answered', statusCode, retryAfter: undefined, responseStart: '' }
    },
  })
  expect(await callbackOf(shop)).toMatchObject({ kind: 'url', verified: true })
  await setCallback(kassa.ctx, shop.merchantId, 'https://shop.example/other')
  expect(await callbackOf(shop)).toMatchObject({ kind: 'url', verified: false })
})
