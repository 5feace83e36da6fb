/** What is not known, what comes late, and workers that die or get into each other's way: nothing is charged twice for a period. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/charging-bank.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import {
  cancelSubscription,
  createSubscription,
  openToken,
  revokeToken,
  subscriptionRequest,
  sweep,
} from '../../testing/subscriptions.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { applyStatus } from '../transition.ts'
import { workOnSubscription } from './work.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let kassa: Kassa
let shop: Shop
let bank: ChargingBank
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())
let plain: Kassa['ctx']['routes']['route_a']
beforeEach(async () => {
  plain = kassa.ctx.routes.route_a
  bank = openChargingBank(kassa.ctx)
  shop = await openShop(kassa.ctx)
})
afterEach(async () => {
  kassa.ctx.routes.route_a = plain
  // What one test began is not to be charged in the next.
  await kassa.ctx.db.query('update sandbox.subscriptions set due_at = null')
})

let orders = 0
/** Answers its id. */
async function begin(changes: object = {}): Promise<{ id: string; tokenId: string }> {
  const tokenId = await openToken(kassa.url, shop)
  const merchantSubscriptionId = `box-${++orders}`
  const body = subscriptionRequest(tokenId, { merchantSubscriptionId, ...changes })
  const { status, body: answer } = await createSubscription(kassa.url, shop, { body })
  expect(status).toBe(201)
  return { id: answer.subscription.id, tokenId }
}

const charges = (subscriptionId: string) =>
  listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
const statesOf = async (id: string) =>
  (await charges(id)).map(({ period, attempt, state }) => `${period}/${attempt} ${state}`)
const find = (id: string) => findSubscription(kassa.ctx.db, shop.merchantId, id)
const paymentOf = async (id: string, index: number) =>
  findPayment(kassa.ctx.db, shop.merchantId, (await charges(id))[index]?.paymentId ?? '')

async function pass(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await sweep(kassa)
}

describe('an attempt whose answer is lost', () => {
  test('and that the bank has taken is found by its reference, and not sent again', async () => {
    bank.bends.push('lose')
    const { id } = await begin()
    await sweep(kassa)
    expect(await statesOf(id)).toEqual(['1/1 paid'])
    expect(bank.taken).toHaveLength(1)
  })

  test('while the bank cannot be asked, is not known, and holds up the next period until the bank answers', async () => {
    bank.bends.push('lose')
    bank.away = true
    const { id } = await begin()
    await sweep(kassa)
    expect([await statesOf(id), (await paymentOf(id, 0))?.status]).toEqual([['1/1 open'], 'pending_payment'])
    await pass(11 * MINUTE_MS)
    expect((await paymentOf(id, 0))?.status).toBe('status_unknown')
    for (let days = 0; days < 40; days += 4) await pass(4 * DAY_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 open'], 1])
    expect((await find(id))?.nextChargeAt).toBeNull()
    bank.away = false
    await pass(DAY_MS)
    // Its own period is paid; the one that runs by now is charged at once.
    expect(await statesOf(id)).toEqual(['1/1 paid', '2/1 paid'])
    expect(bank.taken.map(({ period }) => period)).toEqual([1, 2])
  })

  test('and that an operator says has failed is tried again as the policy says', async () => {
    bank.bends.push('drop')
    bank.away = true
    const { id } = await begin()
    await sweep(kassa)
    await pass(11 * MINUTE_MS)
    const payment = await paymentOf(id, 0)
    const decided = { to: 'failed', cause: 'operator', actor: 'ani', detail: 'the bank says no' } as const
    await applyStatus(kassa.ctx, { merchantId: shop.merchantId, id: payment?.id ?? '' }, decided)
    bank.away = false
    await sweep(kassa)
    expect([await statesOf(id), (await find(id))?.status]).toEqual([['1/1 failed'], 'past_due'])
    await pass(2 * DAY_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 failed', '1/2 paid'], 1])
  })

  test('and of which the bank knows nothing for an hour has failed, and the next one is a new payment', async () => {
    bank.bends.push('drop')
    const { id } = await begin()
    await sweep(kassa)
    for (let minutes = 0; minutes < 58; minutes++) await pass(MINUTE_MS)
    expect(await statesOf(id)).toEqual(['1/1 open'])
    await pass(5 * MINUTE_MS)
    expect((await paymentOf(id, 0))?.status).toBe('expired')
    await pass(2 * DAY_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 failed', '1/2 paid'], 1])
  })
})

describe('what the bank has in hand', () => {
  test('is waited for, past the end of its period too', async () => {
    bank.bends.push('pending')
    const { id } = await begin({ interval: 'day' })
    await sweep(kassa)
    for (let hours = 0; hours < 5 * 24; hours += 6) await pass(6 * HOUR_MS)
    // Its payment has expired by now; that the bank has it in hand holds everything up all the same.
    expect([bank.known.size, await statesOf(id)]).toEqual([1, ['1/1 failed']])
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'taken' })
    await pass(DAY_MS)
    // Days 2 to 6 have passed whole, and are not charged.
    expect(await statesOf(id)).toEqual(['1/1 paid', '7/1 paid'])
  })

  test('and was thought to have failed counts for its period when its money arrives', async () => {
    bank.bends.push('decline')
    const { id } = await begin()
    await sweep(kassa)
    expect((await find(id))?.status).toBe('past_due')
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'taken' })
    await pass(2 * DAY_MS + MINUTE_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 paid'], 0])
    expect((await find(id))?.status).toBe('active')
  })

  test('and that turns out to be declined for good ends the subscription, though the answer was lost', async () => {
    const { id } = await begin()
    bank.bends.push('pending')
    await sweep(kassa)
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'refused' })
    await pass(MINUTE_MS)
    expect(await find(id)).toMatchObject({ status: 'cancelled', cancelReason: 'hard_decline' })
  })
})

describe('a subscription that ends in between', () => {
  test('by cancellation leaves the attempt that is under way to finish, and makes no other', async () => {
    bank.bends.push('pending')
    const { id } = await begin()
    await sweep(kassa)
    await cancelSubscription(kassa.url, shop, id)
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'taken' })
    await pass(2 * MINUTE_MS)
    expect([await statesOf(id), (await paymentOf(id, 0))?.status]).toEqual([['1/1 paid'], 'paid'])
    await pass(60 * DAY_MS)
    expect(await charges(id)).toHaveLength(1)
    expect((await find(id))?.status).toBe('cancelled')
  })

  test.each(['the card is revoked', 'it is cancelled'])(
    'before an attempt that was made is sent: when %s, nothing is sent',
    async (how) => {
      const { id, tokenId } = await begin()
      // The worker died between making the attempt and noting that it is sent.
      let made = 0
      for (let statements = 4; statements < 60 && made === 0; statements++) {
        await kassa.ctx.db.query(
          'update sandbox.subscriptions set due_at = anchor_at where due_at is not null',
        )
        const dying = { ...kassa.ctx, db: mortalDb(kassa.ctx.db, statements) }
        await SWEEPS.renewals(dying).catch(() => {})
        made = (await charges(id)).length
      }
      expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 open'], 0])
      if (how === 'it is cancelled') await cancelSubscription(kassa.url, shop, id)
      else await revokeToken(kassa.url, shop, tokenId)
      await pass(2 * MINUTE_MS)
      await pass(2 * DAY_MS)
      expect([await statesOf(id), (await paymentOf(id, 0))?.status]).toEqual([['1/1 failed'], 'cancelled'])
      expect([(await find(id))?.status, bank.taken.length]).toEqual(['cancelled', 0])
    },
  )
})

const STATEMENTS_MAX = 80

test.each(['comes', 'is lost'])(
  'a worker that dies before any statement of a charge whose answer %s: one charge for the period in the bank’s books',
  async (answer) => {
    let survived = 0
    for (let statements = 0; statements < STATEMENTS_MAX && survived < 2; statements++) {
      const { id } = await begin()
      bank.taken.length = 0
      if (answer === 'is lost') bank.bends.push('lose')
      const dying = { ...kassa.ctx, db: mortalDb(kassa.ctx.db, statements) }
      await SWEEPS.renewals(dying).catch(() => {})
      if ((await find(id))?.status === 'active') survived++
      bank.bends.length = 0
      // The lease of the dead ends, and, where the charge was noted and never sent, its hour.
      for (const ms of [2 * MINUTE_MS, 62 * MINUTE_MS, 2 * DAY_MS]) await pass(ms)
      const seen = [statements, (await find(id))?.status, bank.taken.map(({ period }) => period)]
      expect(seen).toEqual([statements, 'active', [1]])
      await kassa.ctx.db.query('update sandbox.subscriptions set due_at = null')
    }
    expect(survived).toBe(2)
  },
  60_000,
)

test('ten workers that take up the same subscription at once charge its period once', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await begin()
    const due = await find(id)
    if (!due) throw new Error('it is not there')
    await Promise.allSettled(Array.from({ length: 10 }, () => workOnSubscription(kassa.ctx, due)))
    await sweep(kassa)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 paid'], round + 1])
  }
})

test('the database itself takes no second attempt beside one that is open or paid', async () => {
  const { id } = await begin()
  await sweep(kassa)
  const insert = (period: number, attempt: number) =>
    kassa.ctx.db.query(
      `insert into sandbox.subscription_charges (merchant_id, subscription_id, period, attempt, payment_id, created_at, updated_at)
       values ($1, $2, $3, $4, 'pay_${period}_${attempt}', now(), now())`,
      [shop.merchantId, id, period, attempt],
    )
  await expect(insert(1, 2)).rejects.toThrow('subscription_charges_one_a_period')
  await insert(2, 1)
  await expect(insert(3, 1)).rejects.toThrow('subscription_charges_one_open')
})
