import { describe, expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { meaningOf } from '../answer-meaning.ts'
import { nextQuestionAt } from '../question-schedule.ts'

const MINUTE_MS = 60_000

const { kassa, shop, findStatus } = await openScene({ worker: true })

async function open(order: string, change: object = {}) {
  const { body } = await createSession(kassa.url, shop, {
    key: order,
    body: sessionRequest({ merchantOrderId: order, ...change }),
  })
  return body as { id: string; providerCheckoutUrl: string }
}
const timeline = async (id: string) =>
  (await listPaymentChanges(kassa.ctx.db, shop.merchantId, id)).map(
    (change) => `${change.toStatus} by ${change.cause}`,
  )

describe('the buyer’s choice at the bank', () => {
  test.each([
    ['paid', 'paid'],
    ['declined', 'pending_payment'],
    ['cancelled', 'cancelled'],
    ['pending', 'pending_payment'],
    ['unknown', 'status_unknown'],
  ])('"%s" makes the payment %s when the buyer comes back', async (outcome, status) => {
    const payment = await open(`outcome-${outcome}`)
    const location = await payAtBank(payment.providerCheckoutUrl, outcome)
    expect(await findStatus(payment.id)).toBe(status)
    const url = new URL(location ?? '')
    // Only a buyer who has paid goes on to the shop. All others stay on our page.
    if (outcome === 'paid') {
      expect([...url.searchParams.keys()].sort()).toEqual(['merchantOrderId', 'paymentId'])
      expect(url.searchParams.get('paymentId')).toBe(payment.id)
    } else expect(url.href).toBe(`${kassa.ctx.baseUrl}/checkout/${payment.id}?returned=1`)
  })

  test('on a two-step route "paid" only authorizes the payment and captures nothing', async () => {
    const payment = await open('two-step', { provider: 'route_b' })
    await payAtBank(payment.providerCheckoutUrl, 'paid')
    const record = await findPayment(kassa.ctx.db, shop.merchantId, payment.id)
    expect([record?.status, record?.authorizedMinor, record?.capturedMinor]).toEqual(['authorized', 1900, 0])
  })

  test('only the first choice counts, however often the form is sent', async () => {
    const payment = await open('twice')
    await payAtBank(payment.providerCheckoutUrl, 'declined')
    await payAtBank(payment.providerCheckoutUrl, 'paid')
    expect(await findStatus(payment.id)).toBe('pending_payment')
    kassa.clock.advance(90 * MINUTE_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect(await findStatus(payment.id)).toBe('failed')
  })

  test('the bank rejects a checkout address whose order was changed', async () => {
    const payment = await open('forged')
    const url = new URL(payment.providerCheckoutUrl)
    const [text = '', name, seal] = (url.searchParams.get('order') ?? '').split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      // One changed bit, which could make the amount another one.
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      url.searchParams.set('order', `${changed.toString('base64url')}.${name}.${seal}`)
      expect([at, (await fetch(url)).status]).toEqual([at, 404])
    }
  })
})

describe('if the buyer never comes back', () => {
  test('the worker asks the bank on schedule', async () => {
    const payment = await open('closed-tab')
    await fetch(payment.providerCheckoutUrl)
    await fetch(payment.providerCheckoutUrl.split('?')[0] ?? '', {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'paid' }),
      redirect: 'manual',
    })
    expect(await findStatus(payment.id)).toBe('pending_redirect')
    kassa.clock.advance(11_000)
    await expect.poll(() => findStatus(payment.id)).toBe('paid')
    expect(await timeline(payment.id)).toEqual(['pending_redirect by request', 'paid by provider'])
  })

  test('a look-up asks the bank', async () => {
    const payment = await open('looked-up')
    await fetch(payment.providerCheckoutUrl)
    await fetch(payment.providerCheckoutUrl.split('?')[0] ?? '', {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'paid' }),
      redirect: 'manual',
    })
    expect((await lookUp(kassa.url, shop, payment.id)).body.status).toBe('paid')
  })

  test('the payment expires, and money that arrives later is still recorded', async () => {
    const payment = await open('late')
    kassa.clock.advance(91 * MINUTE_MS)
    await expect.poll(() => findStatus(payment.id)).toBe('expired')
    await payAtBank(payment.providerCheckoutUrl, 'paid')
    expect(await findStatus(payment.id)).toBe('paid')
    expect(await timeline(payment.id)).toEqual([
      'pending_redirect by request',
      'expired by expiry',
      'paid by provider',
    ])
  })
})

test('a payment becomes unknown, and says why, if the bank reports another amount', async () => {
  const payment = await open('other-amount')
  await fetch(payment.providerCheckoutUrl)
  await kassa.ctx.db.query(
    `update sandbox.sandbox_orders set body = body || '{"amountMinor": 1, "outcome": "paid"}' where reference = $1`,
    [referenceOf(payment.id)],
  )
  await fetch(`${kassa.url}/checkout/${payment.id}/return`, { redirect: 'manual' })
  expect(await findStatus(payment.id)).toBe('status_unknown')
  const [, change] = await listPaymentChanges(kassa.ctx.db, shop.merchantId, payment.id)
  expect(change?.detail).toContain('amount 1')
})

test('a payment without an order at the provider expires at the moment that it names', async () => {
  const { id } = await open('exact-expiry')
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (!payment) throw new Error('There is no such payment.')
  const meaningAt = (ms: number) => {
    const ctx = { ...kassa.ctx, clock: { now: () => new Date(ms) } }
    return meaningOf(ctx, payment, { kind: 'not_found' })
  }
  const end = payment.expiresAt.getTime()
  expect(await meaningAt(end - 1)).toEqual({ kind: 'nothing' })
  expect(await meaningAt(end)).toMatchObject({ kind: 'change', change: { to: 'expired' } })
})

test.each(['failed', 'cancelled', 'expired'] as const)(
  'the provider is asked about an order of a payment that is %s by the short delays for half an hour after its expiry, then hourly',
  async (status) => {
    const { id } = await open(`schedule-${status}`)
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
    if (!payment) throw new Error('There is no such payment.')
    const ended = { ...payment, status, attempt: { ...payment.attempt, state: 'open' } } as const
    const lastDelayMs = 1_000 * (kassa.ctx.config.statusSyncDelaysSeconds.at(-1) ?? 0)
    const delayAt = (afterExpiryMs: number) => {
      const now = new Date(payment.expiresAt.getTime() + afterExpiryMs)
      const ctx = { ...kassa.ctx, clock: { now: () => now } }
      return Number(nextQuestionAt(ctx, ended, 1_000)) - now.getTime()
    }
    expect(lastDelayMs).toBeLessThan(60 * MINUTE_MS)
    for (const early of [0, 30 * MINUTE_MS]) expect([early, delayAt(early)]).toEqual([early, lastDelayMs])
    for (const late of [30 * MINUTE_MS + 1, 24 * 60 * MINUTE_MS - 1])
      expect([late, delayAt(late)]).toEqual([late, 60 * MINUTE_MS])
  },
)
