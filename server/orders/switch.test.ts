/** A shop changes to the order book: sales from before, events that are on their way, and the way back. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Person } from '../audit/people.ts'
import { moveOrder } from '../operator/orders/change.ts'
import { beginOrderBook, chooseOrderBook } from '../operator/orders/choose.ts'
import { listToPack } from '../operator/orders/orders.ts'
import { createSession as beginSession } from '../payments/creation/session.ts'
import { applyStatus, applyStatusIn, type Change } from '../payments/transition.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { inTransaction } from '../storage/db.ts'
import { addressEvents, claimDueEvents } from '../storage/events/due-events.ts'
import { listTakingIn } from '../storage/events/receivers.ts'
import { setOrderBook } from '../storage/orders/books.ts'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { startReceiver } from '../testing/receiver.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { attemptDelivery } from '../worker/deliveries-attempt.ts'
import { FALLS_DUE } from '../worker/due-times.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const kassa = await openKassa()

let status = 200
const receiver = closeAfter(await startReceiver(() => status))

/** A merchant changes from a callback URL to the order book and back while an event is on its way. */
describe('an event that is on its way', () => {
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
})

/**
 * Sales from before a shop had an order book: each comes in once, as done, and nobody gets a mail. A sale at the same moment is not lost.
 */
describe('sales from before the order book', () => {
  const MINUTE_MS = 60_000
  const WITHIN_ONE_TRANSACTION_MS = 10 * MINUTE_MS
  const ANI: Person = { id: 'opr_ani', name: 'Ani', role: 'shop' }

  let shop: Shop
  beforeEach(async () => {
    shop = await openShop(kassa.ctx)
    const book = { merchantId: shop.merchantId, email: 'potter@shop.example', locale: 'en' } as const
    await setOrderBook(kassa.ctx.db, { ...book, told: 'at_once', silent: [] }, kassa.clock.now())
  })

  const PAID = { authorizedMinor: 1_900, capturedMinor: 1_900, refundedMinor: 0 }
  const HELD = { ...PAID, capturedMinor: 0 }

  async function begin(reference: string): Promise<string> {
    const { merchantId } = shop
    const request = sessionRequest({ merchantOrderId: reference })
    const { session } = await beginSession(kassa.ctx, { merchantId, idempotencyKey: reference, request })
    return session.id
  }

  async function sell(
    reference: string,
    change: Omit<Change, 'cause'> = { to: 'paid', money: PAID },
  ): Promise<string> {
    const id = await begin(reference)
    const at = { merchantId: shop.merchantId, id }
    await applyStatus(kassa.ctx, at, { cause: 'provider', ...change })
    kassa.clock.advance(1)
    return id
  }

  /** What the worker does, until nothing is left. */
  async function work(): Promise<void> {
    do {
      await FALLS_DUE.deliveries.work(kassa.ctx)
      await SWEEPS.orders(kassa.ctx)
    } while ((await SWEEPS.earlierSales(kassa.ctx)) > 0)
  }

  const choose = () => chooseOrderBook(kassa.ctx, ANI, shop.merchantId)

  /** Each order with its way, its question, the number of its decisions, and its notices. */
  async function orders(): Promise<Record<string, string>> {
    const { rows } = await kassa.ctx.db.query(
      `select reference, way, question, count(*) filter (where c.kind in ('deliver', 'ask'))::int as decided,
       coalesce(string_agg(c.news, ' '), 'nobody') as told
     from sandbox.orders o join sandbox.order_changes c on c.merchant_id = o.merchant_id and c.order_id = o.id
     where o.merchant_id = $1 group by o.id, reference, way, question order by reference`,
      [shop.merchantId],
    )
    return Object.fromEntries(
      rows.map(({ reference, way, question, decided, told }) => [
        reference,
        [way, question, decided, told].filter((each) => each !== null).join(', '),
      ]),
    )
  }

  test('earlier sales are done and told to nobody, later ones are new and told, and a person picks one to pack', async () => {
    await sell('first')
    await sell('second')
    await sell('held', { to: 'authorized', money: HELD })
    expect(await choose()).toBe('chosen')
    await sell('third')
    await work()
    expect(await orders()).toEqual({
      first: 'done, 1, nobody',
      second: 'done, 1, nobody',
      // Somebody must still take this money.
      held: 'new, 0, nobody',
      third: 'new, 1, sale',
    })
    await work()
    const wish = { merchantId: shop.merchantId, limit: 9 }
    expect((await listToPack(kassa.ctx, wish)).map(({ reference }) => reference)).toEqual(['third'])
    const { rows } = await kassa.ctx.db.query<{ id: string }>(
      `select id from sandbox.orders where merchant_id = $1 and reference = 'first'`,
      [shop.merchantId],
    )
    const picked = { merchantId: shop.merchantId, id: rows[0]?.id ?? '' }
    await moveOrder(kassa.ctx, picked, { to: 'new', by: 'Ani', anyway: false })
    const toPack = await listToPack(kassa.ctx, wish)
    expect(toPack.map(({ reference }) => reference)).toEqual(['third', 'first'])
  })

  test('a sale whose transaction began before the choice and ends after it comes in once', async () => {
    await sell('before')
    const id = await begin('at once')
    const { promise: isChosen, resolve: chosen } = Promise.withResolvers<void>()
    const { promise: hasRead, resolve: read } = Promise.withResolvers<void>()
    const selling = inTransaction(kassa.ctx.db, async (tx) => {
      const at = { merchantId: shop.merchantId, id }
      await applyStatusIn(kassa.ctx, tx, at, { to: 'paid', money: PAID, cause: 'provider' })
      read()
      await isChosen
    })
    await hasRead
    kassa.clock.advance(1)
    await choose()
    await work()
    expect(await orders()).toEqual({ before: 'done, 1, nobody' })
    chosen()
    await selling
    await work()
    expect(await orders()).toEqual({ before: 'done, 1, nobody', 'at once': 'done, 1, nobody' })
    const takesIn = async () =>
      (await listTakingIn(kassa.ctx.db, 9)).some(({ merchantId }) => merchantId === shop.merchantId)
    expect(await takesIn()).toBe(true)
    kassa.clock.advance(WITHIN_ONE_TRANSACTION_MS + 1)
    await work()
    expect(await takesIn()).toBe(false)
  })

  test('in a new shop the very first sale is told, although nothing received it when it was made', async () => {
    const id = await begin('very first')
    const { promise: isChosen, resolve: chosen } = Promise.withResolvers<void>()
    const { promise: hasRead, resolve: read } = Promise.withResolvers<void>()
    const selling = inTransaction(kassa.ctx.db, async (tx) => {
      const at = { merchantId: shop.merchantId, id }
      await applyStatusIn(kassa.ctx, tx, at, { to: 'paid', money: PAID, cause: 'provider' })
      read()
      await isChosen
    })
    await hasRead
    const both = await Promise.all([1, 2].map(() => beginOrderBook(kassa.ctx, ANI, shop.merchantId)))
    expect(both).toHaveLength(2)
    chosen()
    await selling
    await work()
    expect(await orders()).toEqual({ 'very first': 'new, 1, sale' })
  })

  test('after a crash between any two steps each sale is there once', async () => {
    for (const each of ['a', 'b', 'c']) await sell(each)
    await choose()
    // One of three is addressed, another one is delivered and not decided, and each step is done again.
    expect(await addressEvents(kassa.ctx.db, shop.merchantId, kassa.clock.now(), 1)).toBe(1)
    await FALLS_DUE.deliveries.work(kassa.ctx)
    expect(await addressEvents(kassa.ctx.db, shop.merchantId, kassa.clock.now(), 1)).toBe(1)
    await choose()
    await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
    await Promise.all([work(), work()])
    const done = 'done, 1, nobody'
    expect(await orders()).toEqual({ a: done, b: done, c: done })
  })

  test('two people who choose at once both have it, and a program that is set meanwhile keeps the news', async () => {
    expect(await Promise.all([choose(), choose(), choose()])).toEqual(['chosen', 'chosen', 'chosen'])
    const other = await openShop(kassa.ctx)
    await setCallback(kassa.ctx, other.merchantId, `${kassa.url}/callback`)
    await beginOrderBook(kassa.ctx, ANI, other.merchantId)
    await expect(chooseOrderBook(kassa.ctx, ANI, other.merchantId)).rejects.toMatchObject({
      details: { reason: 'callback_is_set' },
    })
  })

  test('a program that follows the order book gets what is sold from then on, and no earlier sale', async () => {
    await sell('old')
    await choose()
    await setCallback(kassa.ctx, shop.merchantId, `${kassa.url}/callback`)
    expect(await SWEEPS.earlierSales(kassa.ctx)).toBe(0)
    expect(await orders()).toEqual({})
  })
})
