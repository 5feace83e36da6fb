import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { listDeliveries, listPaymentEvents } from '../storage/events/events.ts'
import { clickWidget, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { freePort, openShop, type Shop } from '../testing/harness.ts'
import { type Received, type Receiver, startReceiver } from '../testing/receiver.ts'
import { openKassa } from '../testing/scene.ts'
import { startWorker } from './worker.ts'

const stripe = new Stripe('sk_test_unused')
const settings = { EVENT_RETRY_DELAYS: '0,1,1,1' }

const logLines: string[] = []
const kassa = await openKassa({ worker: true, settings, logLines })
/** Without a worker, until the test of a worker that died starts one. */
const alone = await openKassa({ settings: { DELIVERY_LEASE: '2' } })

async function payOrder(shop: Shop, order: string, outcome = 'paid'): Promise<string> {
  const { body } = await createSession(kassa.url, shop, {
    key: order,
    body: sessionRequest({ merchantOrderId: order }),
  })
  await payAtBank(body.providerCheckoutUrl, outcome)
  return body.id
}

async function withReceiver(
  answer: (index: number) => number,
  work: (receiver: Receiver, shop: Shop) => Promise<void>,
) {
  const receiver = await startReceiver(answer)
  try {
    await work(receiver, await openShop(kassa.ctx, { callbackUrl: receiver.url }))
  } finally {
    await receiver.close()
  }
}

const header = (delivery: Received) => String(delivery.headers['x-service-signature'])

describe('an event', () => {
  test('carries the payment in both places, and the official verifier accepts it, but rejects it with a changed byte', async () => {
    await withReceiver(
      () => 200,
      async (receiver, shop) => {
        const { body: clicked } = await clickWidget(kassa.url, shop)
        const { body: session } = await lookUp(kassa.url, shop, clicked.paymentId)
        await payAtBank(session.providerCheckoutUrl, 'paid')
        const [delivery] = (await receiver.until(1)) as [Received]
        const { event, body } = delivery
        const { body: now } = await lookUp(kassa.url, shop, clicked.paymentId)
        // Its receipt may have been issued since the event.
        const { ok: _, fiscalStatus: _receipt, updatedAt: _at, ...payment } = now
        expect(event).toMatchObject({ type: 'payment.status_changed', payment })
        expect(event.data.payment).toEqual({
          id: payment.id,
          merchantOrderId: payment.merchantOrderId,
          amountMinor: 1900,
          currency: 'USD',
          status: 'paid',
        })
        const verify = (text: string, signature = header(delivery), secret = shop.webhookSecret) =>
          stripe.webhooks.constructEvent(text, signature, secret)
        expect(verify(body)).toEqual(event)
        expect(() => verify(body.replace('"paid"', '"Paid"'))).toThrow()
        expect(() =>
          verify(
            body,
            header(delivery).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          ),
        ).toThrow()
        expect(() => verify(body, header(delivery), `${shop.webhookSecret}x`)).toThrow()
        const standard = new Webhook(shop.webhookSecret)
        const headers = delivery.headers as Record<string, string>
        expect(standard.verify(body, headers)).toEqual(event)
        expect(() => standard.verify(`${body} `, headers)).toThrow()
        const [, timestamp] = /^t=(\d{10}),v1=[0-9a-f]{64}$/.exec(header(delivery)) ?? []
        expect(Math.abs(Number(timestamp) - delivery.at.getTime() / 1000)).toBeLessThan(5)
      },
    )
  })

  test('is sent again with the same id and bytes until it is accepted, and each attempt is stored', async () => {
    await withReceiver(
      (index) => [500, 302, 200][index] ?? 200,
      async (receiver, shop) => {
        const paymentId = await payOrder(shop, 'again')
        const deliveries = await receiver.until(3)
        expect(new Set(deliveries.map((delivery) => delivery.body)).size).toBe(1)
        const find = async () => (await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId))[0]
        await expect.poll(async () => (await find())?.state).toBe('delivered')
        const attempts = await listDeliveries(kassa.ctx.db, shop.merchantId, (await find())?.id ?? '')
        expect(attempts.map((attempt) => [attempt.attempt, attempt.statusCode])).toEqual([
          [1, 500],
          [2, 302],
          [3, 200],
        ])
      },
    )
  })

  test('is kept after its last attempt', async () => {
    await withReceiver(
      () => 500,
      async (receiver, shop) => {
        const paymentId = await payOrder(shop, 'exhausted')
        await receiver.until(4)
        const state = async () =>
          (await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId))[0]?.state
        await expect.poll(state).toBe('exhausted')
      },
    )
  })

  test('of a merchant without a callback URL is kept and not sent', async () => {
    const shop = await openShop(kassa.ctx)
    const paymentId = await payOrder(shop, 'silent')
    const [event] = await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId)
    expect([event?.state, event?.attempts]).toEqual(['unaddressed', 0])
  })

  test('is first sent after the earlier events of its payment, also while their receiver is slow', async () => {
    await withReceiver(
      () => 200,
      async (receiver, shop) => {
        const { body } = await createSession(kassa.url, shop, { key: 'ordered' })
        await fetch(body.providerCheckoutUrl)
        await fetch(`${kassa.url}/checkout/${body.id}/return`, { redirect: 'manual' })
        await payAtBank(body.providerCheckoutUrl, 'paid')
        const deliveries = await receiver.until(2)
        expect(deliveries.map(({ event }) => event.payment.status)).toEqual(['pending_payment', 'paid'])
        expect(deliveries.map(({ event }) => event.sequence)).toEqual([1, 2])
      },
    )
  })
})

test('another worker sends an event whose worker was killed during the delivery', async () => {
  const receiver = await startReceiver()
  try {
    const theirs = await openShop(alone.ctx, { callbackUrl: receiver.url })
    const { body } = await createSession(alone.url, theirs, { key: 'killed' })
    await payAtBank(body.providerCheckoutUrl, 'paid')
    // What a worker that died leaves behind: a job that it holds.
    await alone.ctx.db.query(
      `update sandbox_jobs._private_jobs set locked_by = 'dead', locked_at = current_timestamp - interval '5 seconds'`,
    )
    const other = await startWorker({ ...alone.ctx })
    const [delivery] = (await receiver.until(1)) as [Received]
    expect(delivery.event.payment.id).toBe(body.id)
    await other.stop()
  } finally {
    await receiver.close()
  }
})

test('the log names the address and the reason of a failed delivery, without the query', async () => {
  const address = `http://127.0.0.1:${await freePort()}/hook`
  const shop = await openShop(kassa.ctx, { callbackUrl: `${address}?key=hunter2` })
  await payOrder(shop, 'nobody listens')
  const failed = () => logLines.filter((line) => line.includes('delivery failed') && line.includes(address))
  await expect.poll(failed).not.toEqual([])
  expect(JSON.parse(failed()[0] ?? '')).toMatchObject({
    url: address,
    attempt: 1,
    statusCode: null,
    reason: expect.stringContaining('ECONNREFUSED'),
  })
  expect(logLines.filter((line) => line.includes('hunter2'))).toEqual([])
})
