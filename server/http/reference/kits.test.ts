/** Each kit as it is handed out, run in its own language and framework against a running service. */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyCallback } from '../../receivers/check.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { askOperation, clickWidget, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { freePort, type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { postEvent, signEvent, writeEvent } from '../../testing/kits/kit-events.ts'
import type { KitProcess } from '../../testing/kits/kit-processes.ts'
import { type KitShop, openKitShop } from '../../testing/kits/kit-shop.ts'
import { KIT_RUNNERS } from '../../testing/kits/runners.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { KIT_FILES, KITS } from './kits.ts'

const PRICE = { amountMinor: 1900, currency: 'USD' }
const DEAR = { amountMinor: 5000, currency: 'USD' }
/** The shop asks less for the cup than Kassa's registry says. */
const PRICES = {
  orders: { 'order-1': PRICE, twice: PRICE, late: PRICE, refunded: PRICE, dear: DEAR },
  products: { tea: PRICE, cup: { amountMinor: 180_000, currency: 'AMD' } },
  subscriptions: { 'box-1': PRICE },
}
const DOWN = '{'
const PATIENCE = { timeout: 8_000 }
/** How long the test waits for an effect that should not come. */
const SETTLE_MS = 400

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa({ worker: true })
})
afterAll(() => kassa.close())

const readFile = async (path: string) => (await fetch(`${kassa.url}${path}`)).text()

test('every kit has a runner', () => {
  expect(KIT_RUNNERS.map(({ label }) => label)).toEqual(KITS.map(({ label }) => label))
})

describe.each(KIT_RUNNERS)('the kit for $label', (runner) => {
  const { label, missing } = runner
  if (missing) {
    test.skip(`is not run, because this machine has no ${missing}`)
    return
  }
  let kit: KitShop
  let web: KitProcess
  let shop: Shop

  beforeAll(async () => {
    const port = String(await freePort())
    shop = await openShop(kassa.ctx, { callbackUrl: `http://127.0.0.1:${port}/kassa/callback` })
    kit = await openKitShop(runner, { webhookSecret: shop.webhookSecret, readFile })
    await kit.writePrices(PRICES)
    web = await kit.startWeb(port)
    kit.startWorker()
  })
  afterAll(() => kit?.close())

  const count = (task: string, orderId: string) =>
    kit.listTasks().filter((each) => each.task === task && each.orderId === orderId).length
  const until = (task: string, orderId: string, expected = 1) =>
    expect.poll(() => count(task, orderId), PATIENCE).toBe(expected)

  /** Pays an order at the bank. Returns the payment's id and its event's body once it has been delivered. */
  async function pay(merchantOrderId: string, key = merchantOrderId): Promise<{ id: string; body: string }> {
    const session = await createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId }) })
    await payAtBank(session.body.providerCheckoutUrl, 'paid')
    return { id: session.body.id, body: await deliveredEvent(session.body.id, 'paid') }
  }

  /** The body of the payment's event with this status, once it has been delivered. */
  async function deliveredEvent(paymentId: string, status: string): Promise<string> {
    const find = async () =>
      (await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId)).find(
        (event) => event.status === status,
      )
    await expect.poll(async () => (await find())?.state, PATIENCE).toBe('delivered')
    return (await find())?.body ?? ''
  }

  const sign = (body: string, t?: number) => signEvent(shop.webhookSecret, body, t)
  const post = (body: string, signature: string | null) => postEvent(web.port, body, signature)

  test('passes every check of callback verify', async () => {
    const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    expect(accepted).toBe(true)
  })

  test('delivers a paid order once, however often its event comes, also after a restart', async () => {
    const { body } = await pay('order-1')
    await until('DELIVER', 'order-1')
    const again = await Promise.all([1, 2, 3].map(() => post(body, sign(body))))
    expect(again).toEqual([200, 200, 200])
    await web.kill()
    web = await kit.startWeb(web.port)
    expect(await post(body, sign(body))).toBe(200)
    const event = JSON.parse(body)
    const older = { ...event, id: 'evt_0older', sequence: 0, payment: { ...event.payment, status: 'failed' } }
    expect(await post(JSON.stringify(older), sign(JSON.stringify(older)))).toBe(200)
    const other = { ...event, id: 'evt_0other', type: 'something.new', sequence: 99 }
    expect(await post(JSON.stringify(other), sign(JSON.stringify(other)))).toBe(200)
    await sleep(SETTLE_MS)
    const tasks = kit.listTasks().filter(({ orderId, task }) => orderId === 'order-1' && task !== 'NOTE')
    expect(tasks.map(({ task, why }) => `${task}: ${why}`)).toEqual(['DELIVER: paid 1900 USD'])
    expect(kit.listTasks().filter(({ why }) => why === 'failed')).toEqual([])
  })

  test('asks a person about a payment with another amount, and about one for no order', async () => {
    await pay('dear')
    await pay('nobody-knows')
    for (const order of ['dear', 'nobody-knows']) await until('ASK A PERSON', order)
    expect(count('DELIVER', 'dear') + count('DELIVER', 'nobody-knows')).toBe(0)
  })

  test('delivers an order once that was paid twice, and asks a person about the second payment', async () => {
    await pay('twice', 'first-key')
    await until('DELIVER', 'twice')
    await pay('twice', 'second-key')
    await until('ASK A PERSON', 'twice')
    expect(count('DELIVER', 'twice')).toBe(1)
  })

  test('delivers what the button sold, by the shop’s own price for the product', async () => {
    const sold = new Map<string, string>()
    for (const productId of ['tea', 'cup']) {
      const { body } = await clickWidget(kassa.url, shop, {
        body: { productId, clientReference: `${label}-${productId}` },
      })
      await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
      const { payment } = JSON.parse(await deliveredEvent(body.paymentId, 'paid'))
      sold.set(productId, payment.merchantOrderId)
    }
    await until('DELIVER', sold.get('tea') ?? '')
    await until('ASK A PERSON', sold.get('cup') ?? '')
    expect(count('DELIVER', sold.get('cup') ?? '')).toBe(0)
    expect(
      kit.listTasks().find(({ task, orderId }) => task === 'DELIVER' && orderId === sold.get('tea')),
    ).toMatchObject({ why: 'paid 1900 USD for tea' })
  })

  test('delivers a subscription’s charge by the shop’s own reference for it', async () => {
    const request = subscriptionRequest(await openToken(kassa.url, shop))
    expect((await createSubscription(kassa.url, shop, { body: request })).status).toBe(201)
    await until('DELIVER', 'box-1/1')
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
    await sleep(SETTLE_MS)
    expect(kit.listTasks().filter(({ orderId }) => orderId === 'forged')).toEqual([])
  })

  test('delivers by itself what was paid while the shop was down', async () => {
    await kit.writePrices(DOWN)
    await pay('late')
    await expect.poll(() => kit.output(), PATIENCE).toMatch(/is tried again/)
    expect(kit.countPending()).toBe(1)
    await kit.writePrices(PRICES)
    await until('DELIVER', 'late')
    expect(kit.countPending()).toBe(0)
  })

  test('does not forget a sale that was partly refunded while the shop was down', async () => {
    await kit.writePrices(DOWN)
    const { id } = await pay('refunded')
    const refund = await askOperation(kassa.url, shop, id, 'refunds', {
      key: 'refund-1',
      body: { amountMinor: 500, reason: 'one cup was broken' },
    })
    expect(refund.status).toBe(201)
    await deliveredEvent(id, 'partially_refunded')
    await kit.writePrices(PRICES)
    await until('ASK A PERSON', 'refunded')
    expect(count('DELIVER', 'refunded')).toBe(0)
  })

  // A refund can fail after it succeeded, and a dispute can be won. The payment is then paid again.
  test.each([
    ['refunded', 'in order', 'up'],
    ['reversed', 'in order', 'up'],
    ['disputed', 'in order', 'up'],
    ['refunded', 'in order', 'down'],
    ['partially_refunded', 'in order', 'down'],
    ['disputed', 'out of order', 'down'],
  ])('asks a person if a payment was %s before paid (%s, shop %s)', async (status, order, state) => {
    const merchantOrderId = `${status} ${order} ${state}`
    const payment = { id: `pay_${merchantOrderId}`, merchantOrderId, ...PRICE }
    const events = [writeEvent({ ...payment, status }, 3), writeEvent({ ...payment, status: 'paid' }, 4)]
    const prices = { ...PRICES, orders: { ...PRICES.orders, [merchantOrderId]: PRICE } }
    await kit.writePrices(state === 'down' ? DOWN : prices)
    for (const [at, body] of (order === 'in order' ? events : events.reverse()).entries()) {
      expect(await post(body, sign(body))).toBe(200)
      if (state === 'up' && at === 0) await until('NOTE', merchantOrderId)
    }
    await kit.writePrices(prices)
    await until('ASK A PERSON', merchantOrderId)
    expect(count('DELIVER', merchantOrderId)).toBe(0)
  })
})

describe.each(KIT_FILES)('$file', ({ file, path, mediaType }) => {
  test('is handed out as an attachment, and shown in the reference', async () => {
    const answer = await fetch(`${kassa.url}${path}`)
    expect(answer.headers.get('content-type')).toBe(`${mediaType}; charset=utf-8`)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${basename(file)}"`)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
    expect((await fetch(answer.url, { headers })).status).toBe(304)
    expect(await readFile('/docs/api/receiver-kits')).toContain(`href="${path}"`)
  })
})

test.each(KIT_FILES.filter(({ file }) => file.endsWith('.mjs')))(
  '$file says which Node it needs in one line where there is no SQLite',
  async ({ file }) => {
    // What a Node before 22.13 answers to node:sqlite.
    const kit = fileURLToPath(new URL(`kits/${file}`, import.meta.url))
    const failed = await promisify(execFile)(process.execPath, ['--no-experimental-sqlite', kit]).catch(
      (error) => error,
    )
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^This needs Node 22\.13.*\n$/) })
  },
)

test('no other file of the folder is handed out, and no other method taken', async () => {
  for (const name of ['kits.ts', '..%2Fkits.ts', 'kassa_receiver', 'constructor', 'django'])
    expect((await fetch(`${kassa.url}/docs/kits/${name}`)).status).toBe(404)
  const posted = await fetch(`${kassa.url}/docs/kits/kassa_receiver.py`, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
