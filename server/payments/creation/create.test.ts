import { describe, expect, test } from 'vitest'
import {
  askOperation,
  clickWidget,
  createSession,
  lookUp,
  payAtBank,
  sessionRequest,
} from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, shop } = await openScene()

async function countPayments(): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select count(*) as count from sandbox.payments where merchant_id = $1',
    [shop.merchantId],
  )
  return rows[0].count
}

describe('creating a payment', () => {
  test('a session has the contract’s fields, and its key returns the same session again', async () => {
    const first = await createSession(kassa.url, shop, { key: 'contract' })
    expect(first.status).toBe(201)
    expect(first.headers.get('x-idempotent-replay')).toBeNull()
    expect(first.body).toMatchObject({
      ok: true,
      merchantOrderId: 'order-1',
      provider: 'route_a',
      amountMinor: 1900,
      currency: 'USD',
      status: 'pending_redirect',
      fiscalStatus: 'not_required',
      checkoutUrl: `${kassa.url}/checkout/${first.body.id}`,
    })
    const again = await createSession(kassa.url, shop, { key: 'contract' })
    expect(again.status).toBe(200)
    expect(again.headers.get('x-idempotent-replay')).toBe('true')
    expect(again.body).toEqual(first.body)
  })

  test('a replay shows the payment’s current state', async () => {
    const first = await createSession(kassa.url, shop, { key: 'state-of-now' })
    await payAtBank(first.body.providerCheckoutUrl, 'paid')
    const again = await createSession(kassa.url, shop, { key: 'state-of-now' })
    expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'paid'])
    expect(again.body.providerCheckoutUrl).toBeUndefined()
  })

  test('a used key with other content is rejected and writes nothing', async () => {
    await createSession(kassa.url, shop, { key: 'reused' })
    const before = await countPayments()
    const other = await createSession(kassa.url, shop, {
      key: 'reused',
      body: sessionRequest({ amountMinor: 1901 }),
    })
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(other.body.errors).toHaveProperty('Idempotency-Key')
    expect(await countPayments()).toBe(before)
  })

  test('content with its properties in another order counts as the same content', async () => {
    const body = sessionRequest({ metadata: { b: 1, a: [{ y: 1, x: 2 }] } })
    const first = await createSession(kassa.url, shop, { key: 'sorted', body })
    const reversed = Object.fromEntries(
      Object.entries({ ...body, metadata: { a: [{ x: 2, y: 1 }], b: 1 } }).reverse(),
    )
    const again = await createSession(kassa.url, shop, { key: 'sorted', body: reversed })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
  })

  test('two merchants may use the same key', async () => {
    const other = await openShop(kassa.ctx)
    const [mine, theirs] = await Promise.all([
      createSession(kassa.url, shop, { key: 'shared' }),
      createSession(kassa.url, other, { key: 'shared' }),
    ])
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(mine.body.id).not.toBe(theirs.body.id)
  })

  test('without a key, the same content finds the same payment until that payment has ended', async () => {
    const body = sessionRequest({ merchantOrderId: 'keyless' })
    const first = await createSession(kassa.url, shop, { body })
    const again = await createSession(kassa.url, shop, { body })
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id])
    await payAtBank(first.body.providerCheckoutUrl, 'cancelled')
    const later = await Promise.all(
      Array.from({ length: 10 }, () => createSession(kassa.url, shop, { body })),
    )
    expect(later.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(new Set(later.map((answer) => answer.body.id)).size).toBe(1)
    expect(later[0]?.body.id).not.toBe(first.body.id)
  })

  test.each([
    ['refunded', 'refunds', { amountMinor: 1900, reason: 'returned' }],
    ['reversed', 'void', { reason: 'out of stock' }],
  ] as const)(
    'without a key, an order whose payment was %s can be paid again',
    async (status, what, body) => {
      const request = { body: sessionRequest({ merchantOrderId: `again-${status}` }) }
      const first = await createSession(kassa.url, shop, request)
      await payAtBank(first.body.providerCheckoutUrl, 'paid')
      expect((await createSession(kassa.url, shop, request)).body.id).toBe(first.body.id)
      await askOperation(kassa.url, shop, first.body.id, what, { key: `again-${status}`, body })
      await SWEEPS.moneyOperations(kassa.ctx)
      expect((await lookUp(kassa.url, shop, first.body.id)).body.status).toBe(status)
      const second = await createSession(kassa.url, shop, request)
      expect([second.status, second.body.status]).toEqual([201, 'pending_redirect'])
      expect(second.body.id).not.toBe(first.body.id)
    },
  )

  test('a key that the caller chose keeps its payment, even if the payment was cancelled', async () => {
    const first = await createSession(kassa.url, shop, { key: 'chosen' })
    await payAtBank(first.body.providerCheckoutUrl, 'cancelled')
    const again = await createSession(kassa.url, shop, { key: 'chosen' })
    expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'cancelled'])
  })

  test('50 identical concurrent widget posts create one payment: one 201 and 49 replays', async () => {
    for (let round = 0; round < 2; round++) {
      const body = { clientReference: `storm-${round}` }
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => clickWidget(kassa.url, shop, { body })),
      )
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
      const replays = answers.filter(
        (answer) => answer.status === 200 && answer.headers.get('x-idempotent-replay') === 'true',
      )
      expect(replays).toHaveLength(49)
      expect(new Set(answers.map((answer) => answer.body.paymentId)).size).toBe(1)
      expect(new Set(answers.map((answer) => answer.body.checkoutUrl)).size).toBe(1)
    }
  })

  test('of two contents sent concurrently under one key, one is accepted and the other is always rejected', async () => {
    const bodies = [sessionRequest({ amountMinor: 100 }), sessionRequest({ amountMinor: 200 })]
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        createSession(kassa.url, shop, { key: 'duel', body: bodies[index % 2] }),
      ),
    )
    const accepted = answers.filter((answer) => answer.status < 300)
    const rejected = answers.filter((answer) => answer.status === 422)
    expect([accepted.length, rejected.length]).toEqual([30, 30])
    expect(new Set(accepted.map((answer) => answer.body.amountMinor)).size).toBe(1)
  })
})

describe('a click on the widget', () => {
  test('takes the price and currency from the product registry, and stores the product in the metadata', async () => {
    const { status, body } = await clickWidget(kassa.url, shop, {
      body: { clientReference: 'priced', returnUrl: '/thanks?x=1' },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ok: true,
      created: true,
      amountMinor: 1900,
      currency: 'USD',
      product: { id: 'tea', name: 'Tea' },
    })
    const { body: session } = await lookUp(kassa.url, shop, body.paymentId)
    expect(session.merchantOrderId).toMatch(/^wgt_/)
    expect(session.metadata).toEqual({ source: 'widget', productId: 'tea', clientReference: 'priced' })
  })

  test('the same reference creates a new payment once the old one has ended', async () => {
    for (const outcome of ['paid', 'cancelled']) {
      const body = { clientReference: `again-${outcome}` }
      const first = await clickWidget(kassa.url, shop, { body })
      const { body: session } = await lookUp(kassa.url, shop, first.body.paymentId)
      await payAtBank(session.providerCheckoutUrl, outcome)
      const second = await clickWidget(kassa.url, shop, { body })
      expect([outcome, second.status]).toEqual([outcome, 201])
      expect(second.body.paymentId).not.toBe(first.body.paymentId)
    }
  })

  test('the same reference finds the same payment while its outcome is unknown', async () => {
    const body = { clientReference: 'unknown-keeps' }
    const first = await clickWidget(kassa.url, shop, { body })
    const { body: session } = await lookUp(kassa.url, shop, first.body.paymentId)
    await payAtBank(session.providerCheckoutUrl, 'unknown')
    const again = await clickWidget(kassa.url, shop, { body })
    expect([again.status, again.body.paymentId, again.body.status]).toEqual([
      200,
      first.body.paymentId,
      'status_unknown',
    ])
  })

  test('the same reference with another product or return URL is rejected', async () => {
    await clickWidget(kassa.url, shop, { body: { clientReference: 'other' } })
    for (const change of [{ productId: 'cup' }, { returnUrl: `${SHOP_ORIGIN}/elsewhere` }]) {
      const rejected = await clickWidget(kassa.url, shop, { body: { clientReference: 'other', ...change } })
      expect([rejected.status, rejected.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    }
  })
})
