/** How every receiver kit must handle the service's events. The tests of one kit share its shop, so they run one after another. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyCallback } from '../../receivers/check.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { expectWithin } from '../../testing/expect-within.ts'
import { type Kassa, openShop, type Shop } from '../../testing/harness.ts'
import { postEvent, signEvent, writeEvent } from '../../testing/kits/kit-orders.ts'
import type { KitProcess } from '../../testing/kits/kit-processes.ts'
import { type KitShop, openKitShop } from '../../testing/kits/kit-shop.ts'
import type { RecordedPayments } from '../../testing/kits/recorded-payments.ts'
import type { KitRunner } from '../../testing/kits/runners.ts'

const PRICE = { amountMinor: 1900, currency: 'USD' }
const DEAR = { amountMinor: 5000, currency: 'USD' }
/** Orders whose payment is refunded, reversed or disputed first, while the shop is up. */
const UP_ORDERS = ['refunded first', 'reversed first', 'disputed first']
/** Orders whose events come while the shop is down: the status and the sequence of each event. */
const DOWN_ORDERS: Record<string, [string, number][]> = {
  'refunded while down': [
    ['refunded', 3],
    ['paid', 4],
  ],
  'partly refunded while down': [
    ['partially_refunded', 3],
    ['paid', 4],
  ],
  'disputed while down, out of order': [
    ['paid', 4],
    ['disputed', 3],
  ],
}
const TAKEN_BACK = Object.fromEntries(
  [...UP_ORDERS, ...Object.keys(DOWN_ORDERS)].map((order) => [order, PRICE]),
)
/** The shop asks less for the cup than Kassa's registry says. */
const PRICES = {
  orders: {
    'order-1': PRICE,
    twice: PRICE,
    late: PRICE,
    refunded: PRICE,
    dear: DEAR,
    won: PRICE,
    ...TAKEN_BACK,
  },
  products: { tea: PRICE, cup: { amountMinor: 180_000, currency: 'AMD' } },
  subscriptions: { 'box-1': PRICE },
}
const DOWN = '{'
const PATIENCE_MS = 60_000

/** `open`: returns the service and the payments that it has recorded, once the tests run. */
export function testKit(runner: KitRunner, open: () => { kassa: Kassa; recorded: RecordedPayments }): void {
  let kassa: Kassa
  let recorded: RecordedPayments
  let kit: KitShop
  let web: KitProcess
  let shop: Shop

  beforeAll(async () => {
    ;({ kassa, recorded } = open())
    const readFile = async (path: string) => (await fetch(`${kassa.url}${path}`)).text()
    shop = await openShop(kassa.ctx)
    kit = await openKitShop(runner, { webhookSecret: shop.webhookSecret, readFile })
    await kit.writePrices(PRICES)
    web = await kit.startWeb()
    await setCallback(kassa.ctx, shop.merchantId, `http://127.0.0.1:${web.port}/kassa/callback`)
    kit.startWorker()
  })
  afterAll(() => kit?.close())

  const count = async (task: string, orderId: string) =>
    (await kit.listTasks()).filter((each) => each.task === task && each.orderId === orderId).length
  const until = (task: string, orderId: string, expected = 1) =>
    expectWithin(PATIENCE_MS, () => count(task, orderId), expected)
  const sign = (body: string, t?: number) => signEvent(shop.webhookSecret, body, t)
  const post = (body: string, signature: string | null = sign(body)) => postEvent(web.port, body, signature)

  /** Sends the events of a payment that the service has recorded. Returns the order's reference. */
  async function replay(name: string, index = 0): Promise<string> {
    const { orderId, events } = recorded[name]?.[index] ?? { orderId: name, events: [] }
    expect([name, events.length > 0]).toEqual([name, true])
    for (const body of events) expect(await post(body)).toBe(200)
    return orderId
  }

  /** Pays an order at the bank. Returns the event's body once the service has delivered it. */
  async function pay(merchantOrderId: string): Promise<string> {
    const body = sessionRequest({ merchantOrderId })
    const session = await createSession(kassa.url, shop, { key: merchantOrderId, body })
    await payAtBank(session.body.providerCheckoutUrl, 'paid')
    const find = async () =>
      (await listPaymentEvents(kassa.ctx.db, shop.merchantId, session.body.id)).find(
        ({ status }) => status === 'paid',
      )
    await expectWithin(PATIENCE_MS, async () => (await find())?.state, 'delivered')
    return (await find())?.body ?? ''
  }

  test('passes every check of callback verify', async () => {
    const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    expect(accepted).toBe(true)
  })

  test('delivers a paid order, and accepts its event again, also after a restart', async () => {
    const body = await pay('order-1')
    await until('DELIVER', 'order-1')
    expect(await Promise.all(Array.from({ length: 6 }, () => post(body)))).toEqual(Array(6).fill(200))
    await web.kill()
    web = await kit.startWeb(web.port)
    expect(await post(body)).toBe(200)
    const event = JSON.parse(body)
    const older = {
      ...event,
      id: 'evt_0older',
      sequence: 0,
      payment: { ...event.payment, status: 'failed' },
    }
    expect(await post(JSON.stringify(older))).toBe(200)
    const other = { ...event, id: 'evt_0other', type: 'something.new', sequence: 99 }
    expect(await post(JSON.stringify(other))).toBe(200)
  })

  test('refuses a changed byte, an early and a late signature, and none at all', async () => {
    const payment = { id: 'pay_0forged', merchantOrderId: 'forged', ...PRICE, status: 'paid' }
    const body = writeEvent(payment, 9)
    const now = Math.floor(Date.now() / 1000)
    for (const [text, signature] of [
      [body.replace('1900', '1901'), sign(body)],
      [`${body} `, sign(body)],
      [body, sign(body, now - 310)],
      [body, sign(body, now + 310)],
      [body, sign(body, now * 1000)],
      [body, sign(body).replaceAll('v1=', 'v0=')],
      [body, `t=${now}`],
      [body, ''],
      [body, null],
    ] as const)
      expect([signature, await post(text, signature)]).toEqual([signature, 401])
  })

  test('asks a person about a payment with another amount, and about one for no order', async () => {
    const orders = [await replay('dear'), await replay('nobody-knows')]
    for (const order of orders) await until('ASK A PERSON', order)
    for (const order of orders) expect(await count('DELIVER', order)).toBe(0)
  })

  test('delivers an order once that was paid twice, and asks a person about the second payment', async () => {
    await replay('twice', 0)
    await until('DELIVER', 'twice')
    await replay('twice', 1)
    await until('ASK A PERSON', 'twice')
    expect(await count('DELIVER', 'twice')).toBe(1)
  })

  test('delivers what the button sold, by the shop’s own price for the product', async () => {
    const [tea, cup] = [await replay('tea'), await replay('cup')]
    await until('DELIVER', tea)
    await until('ASK A PERSON', cup)
    expect(await count('DELIVER', cup)).toBe(0)
    expect(
      (await kit.listTasks()).find(({ task, orderId }) => task === 'DELIVER' && orderId === tea),
    ).toMatchObject({
      why: 'paid 1900 USD for tea',
    })
  })

  test('delivers a subscription’s charge by the shop’s own reference for it', async () => {
    await until('DELIVER', await replay('box-1/1'))
  })

  /** Sends an event of a payment that only this test knows. */
  async function postStatus(merchantOrderId: string, status: string, sequence: number): Promise<void> {
    const payment = { id: `pay_${merchantOrderId}`, merchantOrderId, ...PRICE, status }
    expect(await post(writeEvent(payment, sequence))).toBe(200)
  }

  // A refund can fail after it succeeded, and a dispute can be won. The payment is then paid again.
  test('asks a person if a payment was refunded, reversed or disputed before it was paid', async () => {
    for (const order of UP_ORDERS) await postStatus(order, order.replace(' first', ''), 3)
    for (const order of UP_ORDERS) await until('NOTE', order)
    for (const order of UP_ORDERS) await postStatus(order, 'paid', 4)
    for (const order of UP_ORDERS) await until('ASK A PERSON', order)
    for (const order of UP_ORDERS) expect([order, await count('DELIVER', order)]).toEqual([order, 0])
  })

  test('only notes that the payment of a delivered order was disputed and paid again', async () => {
    await postStatus('won', 'paid', 3)
    await until('DELIVER', 'won')
    await postStatus('won', 'disputed', 4)
    await until('NOTE', 'won')
    await postStatus('won', 'paid', 5)
    await until('NOTE', 'won', 2)
    expect([await count('DELIVER', 'won'), await count('ASK A PERSON', 'won')]).toEqual([1, 0])
  })

  test('delivers by itself what was paid while the shop was down, and asks a person about what was also taken back', async () => {
    await kit.writePrices(DOWN)
    await replay('late')
    await expectWithin(PATIENCE_MS, async () => /is tried again/.test(kit.output()), true)
    expect(await kit.countPending()).toBe(1)
    await replay('refunded')
    for (const [order, events] of Object.entries(DOWN_ORDERS))
      for (const [status, sequence] of events) await postStatus(order, status, sequence)
    await kit.writePrices(PRICES)
    await until('DELIVER', 'late')
    for (const order of ['refunded', ...Object.keys(DOWN_ORDERS)]) {
      await until('ASK A PERSON', order)
      expect([order, await count('DELIVER', order)]).toEqual([order, 0])
    }
    expect(await kit.countPending()).toBe(0)
  })

  // This is the last test of the kit, so everything that the kit got before has been handled.
  test('has delivered the order of the repeated event once, and nothing for a refused event', async () => {
    const tasks = await kit.listTasks()
    const first = tasks.filter(({ orderId, task }) => orderId === 'order-1' && task !== 'NOTE')
    expect(first.map(({ task, why }) => `${task}: ${why}`)).toEqual(['DELIVER: paid 1900 USD'])
    expect(tasks.filter(({ why }) => why === 'failed')).toEqual([])
    expect(tasks.filter(({ orderId }) => orderId === 'forged')).toEqual([])
  })
}
