import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setCallback } from '../../receivers/receiver.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { passRealTime } from '../../testing/real-time.ts'
import { type Received, type Receiver, startReceiver } from '../../testing/receiver.ts'

let kassa: Kassa
let receiver: Receiver
/** The receiver's current status. */
let status = 200

beforeAll(async () => {
  receiver = await startReceiver(() => status)
  kassa = await startKassa({ worker: true, settings: { EVENT_RETRY_DELAYS: '0,600' } })
})
afterAll(async () => {
  await kassa.close()
  await receiver.close()
})

function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}
async function run(...args: string[]) {
  return JSON.parse((await read(...args, '--json')).stdout)
}

/** Pays an order of a shop and returns the payment's id. */
async function pay(shop: Shop, merchantOrderId: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId })
  const session = await createSession(kassa.url, shop, { key: merchantOrderId, body })
  await payAtBank(session.body.providerCheckoutUrl, 'paid')
  return session.body.id
}
/** Opens the bank's page before the payment. This makes two events: pending_payment, then paid. */
async function payInTwoSteps(shop: Shop, merchantOrderId: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId })
  const session = await createSession(kassa.url, shop, { key: merchantOrderId, body })
  await fetch(session.body.providerCheckoutUrl)
  await fetch(`${kassa.url}/checkout/${session.body.id}/return`, { redirect: 'manual' })
  await payAtBank(session.body.providerCheckoutUrl, 'paid')
  return session.body.id
}
async function open(callbackUrl?: string): Promise<{ shop: Shop; of: string[] }> {
  const shop = await openShop(kassa.ctx, callbackUrl ? { callbackUrl } : {})
  return { shop, of: ['--merchant', shop.merchantId] }
}
const deliveriesOf = (orderId: string): Received[] =>
  receiver.received.filter(({ event }) => event.payment.merchantOrderId === orderId)

/** Waits until all events of the merchant are in this state, and returns them, newest first. */
async function untilAll(of: string[], state: string, number: number) {
  const states = async () =>
    (await run('event', 'list', ...of)).events.map((event: { state: string }) => event.state)
  await expect.poll(states).toEqual(Array(number).fill(state))
  return (await run('event', 'list', ...of)).events
}

describe('event list and show', () => {
  test('events are listed newest first and page by page, each once, and can be filtered', async () => {
    const { shop, of } = await open(receiver.url)
    const payments = [await pay(shop, 'list-1'), await pay(shop, 'list-2'), await pay(shop, 'list-3')]
    const all = await untilAll(of, 'delivered', 3)
    expect(all.map(({ paymentId }: { paymentId: string }) => paymentId)).toEqual(payments.toReversed())
    const first = await operateJson({ DATABASE_URL: kassa.databaseUrl }, [
      'event',
      'list',
      ...of,
      '--limit',
      '2',
    ])
    expect(first.answer).toMatchObject({ ok: true, events: all.slice(0, 2), next: all[1].eventId })
    const second = await run('event', 'list', ...of, '--limit', '2', '--after', all[1].eventId)
    expect(second).toMatchObject({ events: [all[2]], next: null })
    expect((await run('event', 'list', '--payment', payments[1] ?? '')).events).toEqual([all[1]])
    expect((await run('event', 'list', ...of, '--state', 'exhausted')).events).toEqual([])
    expect((await read('event', 'list', ...of)).stdout).toContain('list-2')
  })

  test('an event is shown with every attempt and its response, the body, and the next attempt', async () => {
    const { shop, of } = await open(receiver.url)
    status = 503
    try {
      const paymentId = await pay(shop, 'shown')
      const count = () => deliveriesOf('shown').length
      await expect.poll(count).toBe(1)
      const [{ eventId }] = await untilAll(of, 'pending', 1)
      const attempts = async () => (await run('event', 'show', '--event', eventId)).event.attempts
      await expect.poll(attempts).toBe(1)
      const { event } = await run('event', 'show', '--event', eventId)
      expect(event).toMatchObject({ paymentId, status: 'paid', state: 'pending', merchantOrderId: 'shown' })
      expect(event.body).toBe(deliveriesOf('shown')[0]?.body)
      expect(event.deliveries).toMatchObject([{ attempt: 1, statusCode: 503, url: receiver.url }])
      const waitMs = Date.parse(event.nextAttemptAt) - kassa.clock.now().getTime()
      expect(waitMs).toBeGreaterThan(500_000)
      expect(waitMs).toBeLessThan(700_000)
      const { stdout } = await read('event', 'show', '--event', eventId)
      expect(stdout).toMatch(/503[\s\S]*merchantOrderId[\s\S]*event replay --event evt_/)
      const payment = await read('payment', 'show', '--payment', paymentId)
      expect(payment.stdout).toMatch(/event show --event evt_[\s\S]*event replay --event evt_/)
    } finally {
      status = 200
    }
  })
})

describe('event replay', () => {
  test('sends the same bytes again at once, and continues the count of attempts', async () => {
    const { shop, of } = await open(receiver.url)
    await pay(shop, 'again')
    const [{ eventId }] = await untilAll(of, 'delivered', 1)
    // Signatures use the machine's clock, not the sandbox's.
    passRealTime(1_100)
    expect(await run('event', 'replay', '--event', eventId)).toMatchObject({ ok: true, replayed: 1 })
    await expect.poll(() => deliveriesOf('again').length).toBe(2)
    const [first, second] = deliveriesOf('again')
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(eventId)
    const sentAt = ({ headers }: Received) => Number(headers['webhook-timestamp'])
    expect(second && first && sentAt(second) - sentAt(first)).toBeGreaterThanOrEqual(1)
    await untilAll(of, 'delivered', 1)
    const { event } = await run('event', 'show', '--event', eventId)
    expect(event.deliveries.map(({ attempt }: { attempt: number }) => attempt)).toEqual([1, 2])
  })

  test('sends a waiting event at once, and starts its schedule again', async () => {
    const { shop, of } = await open(receiver.url)
    status = 500
    try {
      await pay(shop, 'waits')
      await expect.poll(() => deliveriesOf('waits').length).toBe(1)
      const [{ eventId }] = await untilAll(of, 'pending', 1)
      await expect.poll(async () => (await run('event', 'show', '--event', eventId)).event.attempts).toBe(1)
      await run('event', 'replay', '--event', eventId)
      await expect.poll(() => deliveriesOf('waits').length).toBe(2)
      await expect.poll(async () => (await run('event', 'show', '--event', eventId)).event.attempts).toBe(2)
      const again = (await run('event', 'show', '--event', eventId)).event
      expect(again.state).toBe('pending')
      expect(Date.parse(again.nextAttemptAt)).toBeGreaterThan(kassa.clock.now().getTime() + 500_000)
    } finally {
      status = 200
    }
    await run('event', 'replay', ...of, '--since', '1h', '--state', 'pending')
    await untilAll(of, 'delivered', 1)
  })

  test('sends the events of a period, and with --latest only the newest of each payment', async () => {
    const { shop, of } = await open()
    const paid = await payInTwoSteps(shop, 'range-1')
    await payInTwoSteps(shop, 'range-2')
    const events = await untilAll(of, 'unaddressed', 4)
    const refused = await read('event', 'replay', ...of, '--since', '1h')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('callback set') })
    await setCallback(kassa.ctx, shop.merchantId, receiver.url)

    const latest = await run('event', 'replay', '--payment', paid, '--latest')
    expect(latest.replayed).toBe(1)
    await expect
      .poll(() => deliveriesOf('range-1').map(({ event }) => event.payment.status))
      .toEqual(['paid'])
    expect((await run('event', 'replay', ...of, '--since', '1h', '--until', '30m')).replayed).toBe(0)
    const newest = await run('event', 'replay', ...of, '--since', '1h', '--latest', '--state', 'unaddressed')
    expect(newest.replayed).toBe(1)
    await expect
      .poll(() => deliveriesOf('range-2').map(({ event }) => event.payment.status))
      .toEqual(['paid'])
    const since = events.at(-1).createdAt
    const rest = await run('event', 'replay', ...of, '--since', since, '--state', 'unaddressed')
    expect(rest.replayed).toBe(2)
    await untilAll(of, 'delivered', 4)
    const stretch = await run('event', 'replay', ...of, '--since', since, '--until', events[1].createdAt)
    expect(stretch.replayed).toBe(2)
  })

  test('sends to a paused receiver at once, without waiting for the next probe', async () => {
    const { shop, of } = await open(receiver.url)
    status = 410
    try {
      await pay(shop, 'paused')
      await expect.poll(() => deliveriesOf('paused').length).toBe(1)
      const [{ eventId }] = (await run('event', 'list', ...of)).events
      const receiver = async () => (await run('event', 'show', '--event', eventId)).event.receiver
      await expect.poll(async () => (await receiver()).state).toBe('paused')
      expect((await read('event', 'show', '--event', eventId)).stdout).toMatch(/paused: 1 failure in a row/)
      status = 200
      await run('event', 'replay', '--event', eventId)
      await untilAll(of, 'delivered', 1)
      await expect.poll(receiver).toMatchObject({ state: 'healthy' })
    } finally {
      status = 200
    }
  })

  test('sends each event once when there are more than one batch', async () => {
    const { shop, of } = await open()
    await pay(shop, 'many')
    await kassa.ctx.db.query(
      `insert into sandbox.events (merchant_id, id, payment_id, sequence, status, body, state, created_at)
       select merchant_id, substr(id, 1, 24) || lpad(n::text, 6, '0'), payment_id || n, 1, status, body, state, created_at
       from sandbox.events, generate_series(1, 449) n where merchant_id = $1`,
      [shop.merchantId],
    )
    const count = receiver.received.length
    await setCallback(kassa.ctx, shop.merchantId, receiver.url)
    expect((await run('event', 'replay', ...of, '--since', '1h')).replayed).toBe(450)
    await receiver.until(count + 450)
    const ids = deliveriesOf('many').map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([450, 450])
  })

  test('an ambiguous or unknown selection is rejected, and nothing is sent', async () => {
    const cases: [string, RegExp][] = [
      ['event replay', /one of --event, --payment, or --merchant/],
      ['event replay --event evt_x --merchant mer_x --since 1h', /one of --event/],
      ['event replay --merchant mer_x', /--since is missing/],
      ['event replay --event evt_x --latest', /leave out/],
      ['event replay --event evt_x', /There is no event/],
      ['event replay --payment pay_x', /There is no payment/],
      ['event replay --merchant mer_x --since 1h', /There is no merchant/],
      ['event replay --merchant mer_x --since yesterday', /--since must be a time such as/],
      ['event show --event evt_x', /There is no event/],
      ['event list --after evt_x', /There is no event/],
    ]
    for (const [call, message] of cases)
      expect([call, await read(...call.split(' '))]).toEqual([
        call,
        { code: 1, stdout: '', stderr: expect.stringMatching(message) },
      ])
  })
})
