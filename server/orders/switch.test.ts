/** A merchant changes from a callback URL to the order book and back while an event is on its way. */
import { expect, test } from 'vitest'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { claimDueEvents } from '../storage/events/due-events.ts'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { startReceiver } from '../testing/receiver.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { attemptDelivery } from '../worker/deliveries-attempt.ts'

let status = 200
const kassa = await openKassa()
const receiver = closeAfter(await startReceiver(() => status))

async function pay(shop: Shop, key: string): Promise<string> {
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  return body.id
}
/** Claims the one due event, changes the address, and only then makes the attempt. */
async function deliver({ merchantId, webhookSecret }: Shop, changeTo?: string): Promise<void> {
  const now = kassa.clock.now()
  const lease = new Date(now.getTime() + 60_000)
  const [event, ...others] = await claimDueEvents(kassa.ctx.db, [{ merchantId, room: 9 }], now, lease)
  expect(others).toEqual([])
  if (!event) throw new Error('No event is due.')
  if (changeTo) await setCallback(kassa.ctx, merchantId, changeTo)
  await (await attemptDelivery(kassa.ctx, event, [webhookSecret])).note()
}
const toUrl = () => receiver.received.map(({ event }) => event.payment.id)
async function toBook({ merchantId }: Shop): Promise<string[]> {
  const { rows } = await kassa.ctx.db.query(
    `select payment_id as id from sandbox.orders where merchant_id = $1 and decision = 'deliver' order by payment_id`,
    [merchantId],
  )
  return rows.map(({ id }) => id)
}

test('each event reaches the receiver that it was sent to, and the new one if that did not accept it', async () => {
  const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
  const accepted = await pay(shop, 'accepted')
  await deliver(shop, ORDER_BOOK_URL)
  expect([toUrl(), await toBook(shop)]).toEqual([[accepted], []])

  await setCallback(kassa.ctx, shop.merchantId, receiver.url)
  const refused = await pay(shop, 'refused')
  status = 500
  await deliver(shop, ORDER_BOOK_URL)
  expect(await toBook(shop)).toEqual([])
  kassa.clock.advance(3_600_000)
  await deliver(shop)
  expect([toUrl(), await toBook(shop)]).toEqual([[accepted, refused], [refused]])

  status = 200
  const inBook = await pay(shop, 'in book')
  await deliver(shop, receiver.url)
  const later = await pay(shop, 'later')
  await deliver(shop)
  expect(toUrl()).toEqual([accepted, refused, later])
  expect(await toBook(shop)).toEqual([refused, inBook])
})
