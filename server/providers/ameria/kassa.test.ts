/**
 * A whole Kassa with accounts at the simulated vPOS: it is asked patiently, what a browser brings proves nothing, and its books are ours, also
 * after a restore.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAccount } from '../../accounts/choice.ts'
import { referenceOf } from '../../id.ts'
import { allocateReference } from '../../payments/attempts/reference.ts'
import { connect, inTransaction, type Tx } from '../../storage/db.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { markRestored } from '../../storage/restores/restores.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { createToken } from '../../testing/payments/subscriptions.ts'
import { type AmeriaBench, RICH, startAmeriaBench } from '../../testing/providers/ameria/bench.ts'
import { type MoneyScene, PREPARE, setMoneyScene } from '../../testing/providers/money-scene.ts'
import { EMPTY_CARD, GOOD_CARD } from '../../testing/providers/rbs/cards.ts'
import { actAsBuyer, sumsOf } from '../../testing/providers/rbs/server.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { ameriaDriver } from './driver.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let bench: AmeriaBench
let scene: MoneyScene
beforeAll(async () => {
  bench = await startAmeriaBench()
  scene = await setMoneyScene('ameria', { driver: ameriaDriver, start: async () => bench })
})
afterAll(() => scene.close())

let orders = 0
async function create(on: MoneyScene, changes: object = {}, key = `vpos-${++orders}`) {
  const { kassa, shop } = on
  const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', ...changes })
  return createSession(kassa.url, shop, { key, body })
}
async function open(on: MoneyScene = scene, changes: object = {}, key?: string) {
  const created = await create(on, changes, key)
  expect(created.status).toBe(201)
  const { id, providerCheckoutUrl: url } = created.body as { id: string; providerCheckoutUrl: string }
  const payment = await findPayment(on.kassa.ctx.db, on.shop.merchantId, id)
  return { id, url, reference: payment?.attempt.reference ?? '' }
}
const statusOf = async (id: string, on = scene) =>
  (await findPayment(on.kassa.ctx.db, on.shop.merchantId, id))?.status
const back = (id: string, query = '', on = scene) =>
  fetch(`${on.kassa.url}/checkout/${id}/return${query}`, { redirect: 'manual' })

test.each([
  ['AMD', 190_000],
  ['AMD', 100],
  ['USD', 1_999],
])('%s %i: the buyer pays, and the bank has what we have', async (currency, amountMinor) => {
  const { id, url, reference } = await open(scene, { currency, amountMinor })
  await actAsBuyer(url, GOOD_CARD)
  await back(id)
  expect((await lookUp(scene.kassa.url, scene.shop, id)).body).toMatchObject({
    status: 'paid',
    amountMinor,
    currency,
  })
  expect(sumsOf(bench.vpos, reference)).toMatchObject({ capturedMinor: amountMinor, refundedMinor: 0 })
})

test('what a browser brings back proves nothing', async () => {
  const { id, reference } = await open()
  const payment = bench.vpos.bank.find(reference)
  const forged = `?orderID=${reference}&resposneCode=00&paymentID=${payment?.id}&opaque=${payment?.opaque}`
  await back(id, forged)
  for (let times = 0; times < 3; times++) await scene.later(MINUTE_MS)
  expect(await statusOf(id)).toBe('pending_redirect')
})

test('nobody comes back, and the bank sends no callbacks: the payment is found by asking', async () => {
  const { id, url } = await open()
  await actAsBuyer(url, GOOD_CARD)
  for (let times = 0; times < 5; times++) await scene.later(MINUTE_MS)
  expect(await statusOf(id)).toBe('paid')
})

test('a payment that is over is asked about daily for 90 days, so what people at the bank change is seen', async () => {
  const left = await open()
  const days = async (count: number, step = 1) => {
    for (let day = 0; day < count; day += step) {
      await scene.later(step * DAY_MS)
      await SWEEPS.settledSync(scene.kassa.ctx)
    }
  }
  await days(2)
  await days(78, 13)
  expect(await statusOf(left.id)).toBe('expired')
  bench.vpos.bank.changeByHand(left.reference)
  await days(2)
  expect(await statusOf(left.id)).toBe('paid')
})

test.each([
  ['says nothing until its page is over', null],
  ['says that it was declined', EMPTY_CARD],
])(
  'a saving of which the bank %s is asked about for 90 days, its money goes back, and its card is removed',
  async (_, card) => {
    const { kassa, shop } = scene
    const { bank } = bench.vpos
    const { body } = await createToken(kassa.url, shop)
    const saving = [...bank.payments.values()].findLast(({ holder }) => holder !== null)
    const number = saving?.number ?? ''
    if (card !== null) await actAsBuyer(body.setupUrl, card)
    const later = async (ms: number) => {
      await scene.later(ms)
      await SWEEPS.cardSavings(kassa.ctx)
      await SWEEPS.endedSavings(kassa.ctx)
      await SWEEPS.cardRevocations(kassa.ctx)
    }
    for (const days of [1, 20, 60]) await later(days * DAY_MS)
    expect((await findSavedMethod(kassa.ctx.db, shop.merchantId, body.token.id))?.status).toMatch(
      /^(failed|cancelled)$/,
    )
    bank.changeByHand(number)
    const kept = () => bank.bindings.filter(({ holder, isActive }) => holder === saving?.holder && isActive)
    // The bank knows no card of a buyer who has given none.
    expect(kept()).toHaveLength(card === null ? 0 : 1)
    await later(DAY_MS)
    await scene.later(MINUTE_MS)
    expect(sumsOf(bench.vpos, number)).toMatchObject({ capturedMinor: 1_000, refundedMinor: 1_000 })
    expect(kept()).toEqual([])
  },
)

test.each([
  ['429', { status: 429 }],
  ['a refused login', { status: 200, body: '{"ResponseCode":"20","ResponseMessage":""}' }],
])(
  'a refund is done and answered with code 07, and the question about it meets %s: it is sent once',
  async (_, answer) => {
    const { proxy } = scene
    const piece = await PREPARE.refund(scene)
    const sent = () => bench.vpos.requests.filter(({ operation }) => operation === 'RefundPayment').length
    const before = sent()
    proxy.rewrite((text) =>
      text.replace('"ResponseCode":"00","ResponseMessage":"Success"', '"ResponseCode":"07"'),
    )
    proxy.answerWith({ ...answer, isMeant: (_method, path) => /\/Get\w+$/.test(path) && sent() > before })
    await scene.later(MINUTE_MS)
    expect(sent() - before).toBe(1)
    proxy.answerWith(null)
    for (let times = 0; times < 5; times++) await scene.later(5 * MINUTE_MS)
    proxy.rewrite(null)
    const { id, ...ended } = await piece.finish()
    expect(ended).toEqual({ status: 'partially_refunded', operation: 'succeeded' })
    expect([sent() - before, (await scene.books(id)).refundedMinor]).toEqual([1, 700])
  },
)

test('no line of the log and no row of the exchange log has a password, a user name or a card holder', async () => {
  const { rows } = await scene.kassa.ctx.db.query<{ text: string }>(
    `select coalesce(string_agg(coalesce(request_body, '') || coalesce(response_body, ''), ' '), '') as text from sandbox.provider_exchanges`,
  )
  const [{ text } = { text: '' }] = rows
  expect(text).toContain('OrderID')
  expect(text).not.toMatch(/planted-tea|tea19541048|PLANTED HOLDER/)
})

test.each([
  ['as little as it may', {}],
  ['all it knows', RICH],
])(
  'after a restore no number of the lost hours makes another payment paid, where the bank returns %s',
  async (_, shop) => {
    const own = await startAmeriaBench(shop)
    const { bank } = own.vpos
    const restored = await setMoneyScene('ameria', { driver: ameriaDriver, start: async () => own })
    const { kassa } = restored
    const restoredAt = kassa.ctx.clock.now()
    await inTransaction(kassa.ctx.db, (tx) =>
      markRestored(tx, 'sandbox', {
        backupAt: new Date(restoredAt.getTime() - DAY_MS),
        restoredAt,
        settledPerHour: 3_600,
      }),
    )
    kassa.clock.advance(1_000)
    const first = await open(restored)
    expect(Number(first.reference)).toBeGreaterThan(2_000_001)
    // The next numbers are those of payments that our database has lost, and that were paid.
    const lost = [1, 2].map((count) => String(Number(first.reference) + count))
    for (const number of lost) {
      const [known] = [...bank.payments.values()]
      if (!known) throw new Error('no payment')
      const { client, minor, currency, description, backUrl, until } = known
      const given = {
        client,
        number,
        minor,
        currency,
        description,
        backUrl,
        until,
        opaque: 'lost',
        holder: null,
      }
      bank.pay(bank.initialise(given), GOOD_CARD)
    }
    const next = await open(restored)
    expect(lost).not.toContain(next.reference)
    expect(await statusOf(next.id, restored)).toBe('pending_redirect')
    await actAsBuyer(next.url, GOOD_CARD)
    await back(next.id, '', restored)
    expect(await statusOf(next.id, restored)).toBe('paid')
    expect(bank.find(next.reference)?.opaque).toBe(referenceOf(next.id))
    await restored.close()
  },
)

describe('order numbers', () => {
  /** A service whose routes A and B have the settings of one login at one bank. */
  async function oneContract(a: object, b: (origin: string) => object = () => ({}), shop = {}) {
    const bench = await startAmeriaBench(shop)
    const settings: AmeriaBench['settings'] = (origin, { credentials, steps }) => ({
      ...bench.settings(origin, { credentials, steps: 'one' }),
      ...(steps === 'one' ? a : b(origin)),
    })
    const scene = await setMoneyScene('ameria', {
      driver: ameriaDriver,
      start: async () => ({ ...bench, settings }),
    })
    return { bank: bench.vpos.bank, scene }
  }

  test.each([
    ['the same range', () => ({}), {}],
    ['the same range, and the bank returns all it knows', () => ({}), RICH],
    ['ranges that overlap', () => ({ FIRST_NUMBER: 1_999_999 }), {}],
    ['its address spelled in two ways', (origin: string) => ({ ADDRESS: `${origin}/VPOS/./` }), {}],
  ])('of two routes with one ClientID and %s are never the same', async (_, b, shop) => {
    const { bank, scene: own } = await oneContract({}, b, shop)
    const one = await open(own, { provider: 'route_a' })
    const two = await open(own, { provider: 'route_b' })
    expect(two.reference).not.toBe(one.reference)
    await actAsBuyer(one.url, GOOD_CARD)
    for (let times = 0; times < 4; times++) await own.later(MINUTE_MS)
    expect([await statusOf(one.id, own), await statusOf(two.id, own)]).toEqual(['paid', 'pending_redirect'])
    expect(bank.movements.filter(({ kind }) => kind === 'taken')).toHaveLength(1)
    await own.close()
  })

  test('of a new range begin at its first one, whether it lies above or below, and none is used twice', async () => {
    const { scene: own } = await oneContract({})
    const { ctx } = own.kassa
    const plain = ctx.routes.route_a
    const numbersIn = async (FIRST_NUMBER: number, LAST_NUMBER: number) => {
      ctx.routes.route_a = { ...plain, settings: { ...plain.settings, FIRST_NUMBER, LAST_NUMBER } }
      const made = [await create(own), await create(own)]
      const payments = made.map(({ body }) => findPayment(ctx.db, own.shop.merchantId, body.id ?? ''))
      return (await Promise.all(payments)).map((payment) => Number(payment?.attempt.reference) || null)
    }
    expect(await numbersIn(2_000_101, 2_000_103)).toEqual([2_000_101, 2_000_102])
    expect(await numbersIn(2_000_201, 2_000_300)).toEqual([2_000_201, 2_000_202])
    expect(await numbersIn(2_000_001, 2_000_100)).toEqual([2_000_001, 2_000_002])
    expect(await numbersIn(2_000_101, 2_000_103)).toEqual([2_000_103, null])
    expect(await numbersIn(2_000_100, 2_000_400)).toEqual([2_000_203, 2_000_204])
    await own.close()
  })

  test('are not used up by requests that are repeated, also at once, which also work with none left', async () => {
    const { scene: own } = await oneContract({ LAST_NUMBER: 2_000_002 })
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => (await create(own, {}, 'repeated')).body.id),
    )
    const [first] = ids
    expect(new Set(ids).size).toBe(1)
    for (let times = 0; times < 3; times++) expect((await create(own, {}, 'repeated')).body.id).toBe(first)
    await open(own)
    const again = await create(own, {}, 'repeated')
    expect([again.status < 300, again.body.id]).toEqual([true, first])
    expect((await create(own)).status).toBe(503)
    await own.close()
  })

  test('are taken on the connection that a transaction has, so that 20 savings at once do not wait for each other', async () => {
    const { scene: own } = await oneContract({})
    const { kassa, shop } = own
    const { ctx } = kassa
    const account = await findAccount(ctx, ctx.routes.route_a.id)
    if (!account) throw new Error('no account')
    // Nothing of accounts and restores is in memory yet, and no other connection is free.
    ctx.accounts.forget()
    const clients = await Promise.all(Array.from({ length: ctx.config.poolMax }, () => connect(ctx.db)))
    const [tx] = clients
    const taken = await allocateReference(ctx, tx as Tx, account, 'name')
    for (const client of clients) client.release()
    const answers = await Promise.all(Array.from({ length: 20 }, () => createToken(kassa.url, shop)))
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([201])
    const { rows } = await ctx.db.query<{ number: string }>(
      'select provider_reference as number from sandbox.saved_methods',
    )
    expect(new Set([taken, ...rows.map(({ number }) => number)]).size).toBe(21)
    await own.close()
  })
})
