import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clickWidget, createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop, startKassa } from '../../testing/harness.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

async function countPayments(): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select count(*) as count from sandbox.payments where merchant_id = $1',
    [shop.merchantId],
  )
  return rows[0].count
}

describe('creating a payment', () => {
  test('a session has the contract’s fields and its key answers the same again', async () => {
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

  test('a replay shows the state of now, not of then', async () => {
    const first = await createSession(kassa.url, shop, { key: 'state-of-now' })
    await payAtBank(first.body.providerCheckoutUrl, 'paid')
    const again = await createSession(kassa.url, shop, { key: 'state-of-now' })
    expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'paid'])
    expect(again.body.providerCheckoutUrl).toBeUndefined()
  })

  test('a key with other content is refused and writes nothing', async () => {
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

  test('the order of properties does not make other content', async () => {
    const body = sessionRequest({ metadata: { b: 1, a: [{ y: 1, x: 2 }] } })
    const first = await createSession(kassa.url, shop, { key: 'sorted', body })
    const turned = Object.fromEntries(
      Object.entries({ ...body, metadata: { a: [{ x: 2, y: 1 }], b: 1 } }).reverse(),
    )
    const again = await createSession(kassa.url, shop, { key: 'sorted', body: turned })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
  })

  test('two merchants may use one key', async () => {
    const other = await openShop(kassa.ctx)
    const [mine, theirs] = await Promise.all([
      createSession(kassa.url, shop, { key: 'shared' }),
      createSession(kassa.url, other, { key: 'shared' }),
    ])
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(mine.body.id).not.toBe(theirs.body.id)
  })

  test('without a key, the same order is one attempt until that attempt has come to nothing', async () => {
    const body = sessionRequest({ merchantOrderId: 'keyless' })
    const first = await createSession(kassa.url, shop, { body })
    const again = await createSession(kassa.url, shop, { body })
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id])
    await payAtBank(first.body.providerCheckoutUrl, 'declined')
    const anew = await Promise.all(Array.from({ length: 10 }, () => createSession(kassa.url, shop, { body })))
    expect(anew.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(new Set(anew.map((answer) => answer.body.id)).size).toBe(1)
    expect(anew[0]?.body.id).not.toBe(first.body.id)
  })

  test('a key of the caller’s stays with its payment, also when that failed', async () => {
    const first = await createSession(kassa.url, shop, { key: 'kept' })
    await payAtBank(first.body.providerCheckoutUrl, 'declined')
    const again = await createSession(kassa.url, shop, { key: 'kept' })
    expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'failed'])
  })

  test('100 identical widget posts at once make one payment: one 201, 99 replays', async () => {
    for (let round = 0; round < 5; round++) {
      const body = { clientReference: `storm-${round}` }
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => clickWidget(kassa.url, shop, { body })),
      )
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
      const replays = answers.filter(
        (answer) => answer.status === 200 && answer.headers.get('x-idempotent-replay') === 'true',
      )
      expect(replays).toHaveLength(99)
      expect(new Set(answers.map((answer) => answer.body.paymentId)).size).toBe(1)
      expect(new Set(answers.map((answer) => answer.body.checkoutUrl)).size).toBe(1)
    }
  })

  test('same key, two contents at once: one wins, the other is refused every time', async () => {
    const bodies = [sessionRequest({ amountMinor: 100 }), sessionRequest({ amountMinor: 200 })]
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        createSession(kassa.url, shop, { key: 'duel', body: bodies[index % 2] }),
      ),
    )
    const won = answers.filter((answer) => answer.status < 300)
    const refused = answers.filter((answer) => answer.status === 422)
    expect([won.length, refused.length]).toEqual([30, 30])
    expect(new Set(won.map((answer) => answer.body.amountMinor)).size).toBe(1)
  })
})

describe('a click on the widget', () => {
  test('takes price and currency from the product registry, and says so in the payment', async () => {
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

  test('a reference stands for an open attempt only: after the end a new click is a new payment', async () => {
    for (const outcome of ['paid', 'declined', 'cancelled']) {
      const body = { clientReference: `again-${outcome}` }
      const first = await clickWidget(kassa.url, shop, { body })
      const { body: session } = await lookUp(kassa.url, shop, first.body.paymentId)
      await payAtBank(session.providerCheckoutUrl, outcome)
      const anew = await clickWidget(kassa.url, shop, { body })
      expect([outcome, anew.status]).toEqual([outcome, 201])
      expect(anew.body.paymentId).not.toBe(first.body.paymentId)
    }
  })

  test('while the outcome is unknown, the reference keeps the buyer on the same payment', async () => {
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

  test('the same reference with another product or return address is refused', async () => {
    await clickWidget(kassa.url, shop, { body: { clientReference: 'other' } })
    for (const change of [{ productId: 'cup' }, { returnUrl: `${SHOP_ORIGIN}/elsewhere` }]) {
      const refused = await clickWidget(kassa.url, shop, { body: { clientReference: 'other', ...change } })
      expect([refused.status, refused.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    }
  })
})
