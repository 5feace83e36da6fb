import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { referenceOf } from '../../id.ts'
import { CALL_TIMEOUTS } from '../../providers/driver/timeouts.ts'
import type { Account } from '../../providers/registry.ts'
import { findIdempotencyKey, rebindIdempotencyKey } from '../../storage/payments/idempotency-keys.ts'
import { clickWidget, createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { MANY_CONNECTIONS, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { type Script, scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { passRealTime } from '../../testing/real-time.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { claimKey, type KeyClaim } from '../idempotency.ts'
import { providerCall } from '../provider-call.ts'

const { kassa, shop } = await openScene({ settings: MANY_CONNECTIONS })

const DAY_MS = 86_400_000
let provider: Script
beforeEach(() => {
  provider = scriptRoute(kassa.ctx)
})

const create = (key: string) => createSession(kassa.url, shop, { key })
const opened = () => [...provider.orders.values()]
/** The calls that the provider got, `start` or `look-up`, without the references. */
const calls = () => provider.calls.map((call) => call.split(' ')[0])

describe('while the provider has not answered', () => {
  test('a concurrent request with the same key waits ten seconds and gets 503; later the key replays as usual', async () => {
    const { promise: slow, resolve } = Promise.withResolvers<void>()
    provider.starts.push(async (open) => {
      await slow
      return open()
    })
    const first = create('slow')
    await expect.poll(calls).toEqual(['start'])
    const began = performance.now()
    const concurrent = await create('slow')
    // Real time: the answer waits for the first request, and a slow machine only waits longer.
    expect(performance.now() - began).toBeGreaterThan(9_500)
    expect(concurrent).toMatchObject({
      status: 503,
      body: { error: { code: 'request_in_progress', retryable: true } },
    })
    expect(Number(concurrent.headers.get('retry-after'))).toBeGreaterThan(0)
    resolve()
    const { status, body } = await first
    expect(status).toBe(201)
    expect(await create('slow')).toMatchObject({ status: 200, body: { id: body.id } })
    expect(opened()).toEqual([1])
  })

  test('a call to a hanging provider times out before the lease ends, so that no second caller starts meanwhile', async () => {
    const shortLease = await startKassa({ settings: { ...MANY_CONNECTIONS, ATTEMPT_LEASE: '6' } })
    try {
      const hanging = scriptRoute(shortLease.ctx)
      hanging.starts.push(() => new Promise(() => {}))
      const otherShop = await openShop(shortLease.ctx)
      const answer = await createSession(shortLease.url, otherShop, { key: 'hangs' })
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } })
    } finally {
      await shortLease.close()
    }
  })
})

test('a request behind one that plans for too long gets 503 after ten seconds, and plans nothing; the next one goes on', async () => {
  const claim: KeyClaim = {
    merchantId: shop.merchantId,
    scope: 'POST /v1/payment-sessions',
    key: 'planned for long',
    fingerprint: 'the same',
    isReleased: () => false,
    isLookedForFirst: true,
  }
  const held = Promise.withResolvers<never>()
  const first = claimKey(kassa.ctx, claim, () => held.promise)
  let plans = 0
  const plan = async () => {
    plans += 1
    throw new Error('planned')
  }
  const second = claimKey(kassa.ctx, claim, plan)
  passRealTime(10_000)
  await expect(second).rejects.toMatchObject({ code: 'request_in_progress' })
  held.reject(new Error('given up'))
  await expect(first).rejects.toThrow('given up')
  expect(plans).toBe(0)
  await expect(claimKey(kassa.ctx, claim, plan)).rejects.toThrow('planned')
})

describe('a provider that refuses an order', () => {
  test('leaves the key free, so that the same key works once the provider accepts orders', async () => {
    provider.starts.push(() => ({ kind: 'refused', message: 'closed today', refusal: 'request' }))
    expect(await create('refused')).toMatchObject({
      status: 503,
      body: { error: { code: 'provider_unavailable' } },
    })
    const again = await create('refused')
    expect(again.status).toBe(201)
    expect(calls()).toEqual(['start', 'start'])
    expect(await create('refused')).toMatchObject({ status: 200, body: { id: again.body.id } })
    expect(opened()).toEqual([1])
  })
})

describe('a provider whose answer was lost', () => {
  const loseAnswer = () =>
    provider.starts.push((open) => {
      open()
      throw new Error('connection reset')
    })

  test('is asked before an order is opened again, and its existing order is returned', async () => {
    loseAnswer()
    expect((await create('lost')).status).toBe(503)
    const again = await create('lost')
    expect([again.status, again.body.status]).toEqual([201, 'pending_redirect'])
    expect(again.body.providerCheckoutUrl).toMatch(/^https:\/\/bank\.example\/pay\//)
    expect(calls()).toEqual(['start', 'look-up'])
    expect(opened()).toEqual([1])
  })

  test('opens the order later if it does not know the order, and not while it may still be opening it', async () => {
    provider.starts.push(() => ({ kind: 'unknown', message: 'connection reset' }))
    expect((await create('never-came')).status).toBe(503)
    for (let retries = 0; retries < 3; retries++) expect((await create('never-came')).status).toBe(503)
    expect(calls()).toEqual(['start', 'look-up', 'look-up', 'look-up'])
    kassa.clock.advance(CALL_TIMEOUTS.opening.usualMs)
    expect((await create('never-came')).status).toBe(201)
    expect(calls()).toEqual(['start', 'look-up', 'look-up', 'look-up', 'look-up', 'start'])
    expect(opened()).toEqual([1])
  })

  test('gets no second order while it cannot be asked', async () => {
    loseAnswer()
    provider.lookUp = () => ({ kind: 'unavailable', message: 'down' })
    const statuses = [await create('down'), await create('down'), await create('down')].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([503, 503, 503])
    expect(calls()).toEqual(['start', 'look-up', 'look-up'])
    provider.lookUp = (truth) => truth
    expect((await create('down')).status).toBe(201)
    expect(opened()).toEqual([1])
  })

  test('gets no second order if it does not tell the checkout’s address', async () => {
    loseAnswer()
    provider.lookUp = (truth) =>
      truth.kind === 'found' ? { kind: 'found', snapshot: truth.snapshot } : truth
    await create('address-lost')
    expect((await create('address-lost')).status).toBe(503)
    expect((await create('address-lost')).status).toBe(503)
    expect(opened()).toEqual([1])
    provider.lookUp = (truth) => truth
    expect((await create('address-lost')).body.providerCheckoutUrl).toContain('https://bank.example/pay/')
    expect(opened()).toEqual([1])
  })

  test('gets no second order if its driver has no look-up', async () => {
    provider = scriptRoute(kassa.ctx)
    const { driver } = kassa.ctx.routes.route_a
    if (driver) delete driver.lookUp
    loseAnswer()
    await create('no-look-up')
    expect((await create('no-look-up')).body.status).toBe('status_unknown')
    expect(opened()).toEqual([1])
  })

  test('is asked by the worker if nobody retries', async () => {
    loseAnswer()
    await kassa.ctx.db.query('update sandbox.attempts set question_due_at = null')
    await create('left-alone')
    kassa.clock.advance(5_000)
    await SWEEPS.statusSync(kassa.ctx)
    expect(calls()).toEqual(['start', 'look-up'])
    expect(await create('left-alone')).toMatchObject({ status: 200, body: { status: 'pending_redirect' } })
    expect(opened()).toEqual([1])
  })
})

test('a retry opens no order for an unfinished payment whose status has changed', async () => {
  provider.starts.push(() => ({ kind: 'unknown', message: 'timed out' }))
  await create('overtaken')
  await kassa.ctx.db.query(
    `update sandbox.payments set status = 'expired', version = 1
     where id = (select payment_id from sandbox.attempts where reference = $1)`,
    provider.calls.map((call) => call.split(' ')[1]),
  )
  expect((await create('overtaken')).body.status).toBe('expired')
  expect(await create('overtaken')).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(calls()).toEqual(['start'])
})

test('a route that is no longer ready still replays its payments, and creates no new ones', async () => {
  const first = await create('taken-out')
  const { driver } = kassa.ctx.routes.route_a
  kassa.ctx.routes.route_a.driver = null
  try {
    expect(await create('taken-out')).toMatchObject({ status: 200, body: { id: first.body.id } })
    expect((await create('not-made')).status).toBe(503)
  } finally {
    kassa.ctx.routes.route_a.driver = driver
  }
})

describe('retention', () => {
  const later = async <Answer>(ms: number, work: () => Promise<Answer>): Promise<Answer> => {
    kassa.clock.advance(ms)
    try {
      return await work()
    } finally {
      kassa.clock.advance(-ms)
    }
  }

  test('a key replays the same body for 30 days, and after that it is rejected and never creates a second payment', async () => {
    const first = await create('old')
    const replay = await later(30 * DAY_MS - 60_000, () => create('old'))
    expect([replay.status, replay.body]).toEqual([200, first.body])
    const tooOld = await later(30 * DAY_MS, () => create('old'))
    expect(tooOld).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } })
    expect(tooOld.body.error.message).toContain('too long ago to be replayed')
    expect(tooOld.body.error.hint).toContain(first.body.id)
    expect(tooOld.body.errors).toHaveProperty('Idempotency-Key')
    const other = { key: 'old', body: sessionRequest({ amountMinor: 5 }) }
    const otherContent = await later(400 * DAY_MS, () => createSession(kassa.url, shop, other))
    expect(otherContent.status).toBe(422)
    expect(opened()).toEqual([1])
  })

  test('a session without a key and a widget click find their payment for as long as the payment is open', async () => {
    const keyless = { body: sessionRequest({ merchantOrderId: 'long-open' }) }
    const [session, click] = [
      await createSession(kassa.url, shop, keyless),
      await clickWidget(kassa.url, shop),
    ]
    await later(40 * DAY_MS, async () => {
      expect(await createSession(kassa.url, shop, keyless)).toMatchObject({
        status: 200,
        body: { id: session.body.id },
      })
      expect(await clickWidget(kassa.url, shop)).toMatchObject({
        status: 200,
        body: { paymentId: click.body.paymentId },
      })
    })
    expect(opened()).toEqual([1, 1])
  })

  test('a retention time of less than a day is rejected at the start', () => {
    expect(() => readConfig({ IDEMPOTENCY_TTL: '86399' })).toThrow(
      /IDEMPOTENCY_TTL: must be at least 24 hours/,
    )
    expect(readConfig({ IDEMPOTENCY_TTL: '86400' }).idempotencyTtlSeconds).toBe(86_400)
    expect(readConfig({}).idempotencyTtlSeconds).toBe(30 * 86_400)
  })
})

test('a look-up at the simulated bank returns the address of the existing order', async () => {
  const plain = await startKassa()
  try {
    const otherShop = await openShop(plain.ctx)
    const { body } = await createSession(plain.url, otherShop, { key: 'arrived' })
    await fetch(body.providerCheckoutUrl)
    const route = plain.ctx.routes.route_a as Account
    const call = providerCall(plain.ctx, route)
    const answer = await route.driver.lookUp?.(call, { reference: referenceOf(body.id), state: null })
    expect(answer).toMatchObject({ kind: 'found', opened: { url: body.providerCheckoutUrl } })
    await payAtBank(body.providerCheckoutUrl, 'paid')
    expect((await lookUp(plain.url, otherShop, body.id)).body.status).toBe('paid')
  } finally {
    await plain.close()
  }
})

test('a key is pointed at another payment once, also by two who have both read that it is free', async () => {
  const [{ body: refused }, { body: next }] = [await create('pointed'), await create('next')]
  const at = { merchantId: shop.merchantId, scope: 'POST /v1/payment-sessions', key: 'pointed' }
  const key = await findIdempotencyKey(kassa.ctx.db, at)
  expect(key?.paymentId).toBe(refused.id)
  const point = () =>
    rebindIdempotencyKey(
      kassa.ctx.db,
      { ...at, paymentId: refused.id },
      { paymentId: next.id, fingerprint: key?.fingerprint ?? '', createdAt: kassa.clock.now() },
    )
  expect([await point(), await point()]).toEqual([true, false])
})

describe('requests at once, which share statements', () => {
  const PAYMENTS = 12

  async function createPayments(shop: Shop, name: string): Promise<string[]> {
    const orders = Array.from({ length: PAYMENTS }, (_, index) => `${name}-${index}`)
    const created = await Promise.all(
      orders.map((merchantOrderId) =>
        createSession(kassa.url, shop, { key: merchantOrderId, body: sessionRequest({ merchantOrderId }) }),
      ),
    )
    return created.map(({ body }) => body.id)
  }

  test('of look-ups at once, which share statements, each merchant gets its own payments and no other', async () => {
    const shops = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
    const ids = await Promise.all(shops.map((shop, index) => createPayments(shop, `shop${index}`)))
    const wanted = shops.flatMap((shop, by) =>
      ids.flatMap((own, of) =>
        own.flatMap((id, index) => [
          { shop, id, order: by === of ? `shop${of}-${index}` : null },
          { shop, id: `${id.slice(0, -4)}zzzz`, order: null },
        ]),
      ),
    )
    const answers = await Promise.all(wanted.map(({ shop, id }) => lookUp(kassa.url, shop, id)))
    expect(
      answers.map(({ status, body }) => (status === 200 ? [body.id, body.merchantOrderId] : status)),
    ).toEqual(wanted.map(({ id, order }) => (order === null ? 404 : [id, order])))
  })

  test('creations at once, which share statements, store one payment, key, attempt and change for each request, and no other', async () => {
    const shop = await openShop(kassa.ctx)
    const ids = await createPayments(shop, 'stored')
    const ofPayments = async (table: string, column: string) => {
      const { rows } = await kassa.ctx.db.query<{ id: string }>(
        `select ${column} as id from sandbox.${table} where merchant_id = $1`,
        [shop.merchantId],
      )
      return rows.map(({ id }) => id).toSorted()
    }
    expect(await ofPayments('payments', 'id')).toEqual(ids.toSorted())
    for (const table of ['idempotency_keys', 'attempts', 'payment_changes'])
      expect(await ofPayments(table, 'payment_id'), table).toEqual(ids.toSorted())
  })
})
