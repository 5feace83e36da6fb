/** Unknown outcomes, late outcomes, and workers that die or work at the same time. No period is charged twice. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { type Kassa, openShop, type Shop } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import {
  cancelSubscription,
  createSubscription,
  openToken,
  revokeToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { applyStatus } from '../transition.ts'
import { workOnSubscription } from './work.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let shop: Shop
let bank: ChargingBank
const kassa = await openKassa()
let plain: Kassa['ctx']['routes']['route_a']
beforeEach(async () => {
  plain = kassa.ctx.routes.route_a
  bank = openChargingBank(kassa.ctx)
  shop = await openShop(kassa.ctx)
})
afterEach(async () => {
  kassa.ctx.routes.route_a = plain
  // The next test must not charge this test's subscriptions.
  await kassa.ctx.db.query('update sandbox.subscriptions set due_at = null')
})

let orders = 0
/** Creates a subscription with a saved card. */
async function openSubscription(changes: object = {}): Promise<{ id: string; tokenId: string }> {
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

describe('a charge whose answer is lost', () => {
  test('and that the bank carried out is found by its reference and not sent again', async () => {
    bank.bends.push('lose')
    const { id } = await openSubscription()
    await sweep(kassa)
    expect(await statesOf(id)).toEqual(['1/1 paid'])
    expect(bank.taken).toHaveLength(1)
  })

  test('becomes unknown while the bank cannot be asked, and blocks the next period until the bank answers', async () => {
    bank.bends.push('lose')
    bank.away = true
    const { id } = await openSubscription()
    await sweep(kassa)
    expect([await statesOf(id), (await paymentOf(id, 0))?.status]).toEqual([['1/1 open'], 'pending_payment'])
    await pass(11 * MINUTE_MS)
    expect((await paymentOf(id, 0))?.status).toBe('status_unknown')
    for (let days = 0; days < 40; days += 4) await pass(4 * DAY_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 open'], 1])
    expect((await find(id))?.nextChargeAt).toBeNull()
    bank.away = false
    await pass(DAY_MS)
    // The charge has paid its own period. The current period is charged at once.
    expect(await statesOf(id)).toEqual(['1/1 paid', '2/1 paid'])
    expect(bank.taken.map(({ period }) => period)).toEqual([1, 2])
  })

  test('and that an operator decides has failed is followed by another charge on schedule', async () => {
    bank.bends.push('drop')
    bank.away = true
    const { id } = await openSubscription()
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

  test('and that an operator finds was never taken is made again, and is no failed attempt', async () => {
    bank.bends.push('drop')
    bank.away = true
    const { id } = await openSubscription()
    await sweep(kassa)
    await pass(11 * MINUTE_MS)
    const payment = await paymentOf(id, 0)
    const decided = { to: 'expired', cause: 'operator', actor: 'ani', detail: 'not in their books' } as const
    await applyStatus(kassa.ctx, { merchantId: shop.merchantId, id: payment?.id ?? '' }, decided)
    await pass(2 * HOUR_MS)
    expect([await statesOf(id), (await find(id))?.status]).toEqual([['1/1 lost', '1/2 open'], 'incomplete'])
    bank.away = false
    await pass(HOUR_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 lost', '1/2 paid'], 1])
  })

  test('and that the bank still does not know after an hour is made again as a new payment, and is no failed attempt', async () => {
    bank.bends.push('drop')
    const { id } = await openSubscription()
    await sweep(kassa)
    for (let minutes = 0; minutes < 58; minutes++) await pass(MINUTE_MS)
    expect(await statesOf(id)).toEqual(['1/1 open'])
    await pass(5 * MINUTE_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 lost', '1/2 paid'], 1])
    expect((await paymentOf(id, 0))?.status).toBe('expired')
  })

  test('and that the bank carries out after the next one has paid is a surplus, of which a person learns', async () => {
    bank.bends.push('drop')
    const { id } = await openSubscription()
    await sweep(kassa)
    await pass(63 * MINUTE_MS)
    await pass(MINUTE_MS)
    const lost = await paymentOf(id, 0)
    if (!lost) throw new Error('There is no charge.')
    const { amountMinor, currency, attempt } = lost
    const { reference } = attempt
    bank.known.set(reference, { reference, amountMinor, currency, period: 1, state: 'taken' })
    for (let hours = 0; hours < 3; hours++) {
      await SWEEPS.statusSync(kassa.ctx)
      await pass(HOUR_MS)
    }
    expect(await statesOf(id)).toEqual(['1/1 surplus', '1/2 paid'])
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, lost.id)
    expect(warnings.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('paid twice'))
  })

  test('time and again is made again a day later each time, with a warning, and does not count among the declined ones', async () => {
    const lost = ['drop', 'drop', 'drop'] as const
    const declined = ['decline', 'decline', 'decline', 'decline'] as const
    bank.bends.push(...lost, ...declined)
    const { id } = await openSubscription({ interval: 'year' })
    const tries: number[] = []
    for (let hours = 0; hours < 21 * 24; hours += 6) {
      await sweep(kassa)
      await pass(6 * HOUR_MS)
      const { length } = await charges(id)
      if (length > tries.length) tries.push(Math.floor(hours / 24))
    }
    // Lost on day 0, at once again, a day later, and two days after that. Declined on day 3, and 2, 5 and 7 days after each.
    expect(tries).toEqual([0, 0, 1, 3, 5, 10, 17])
    const states = [...lost.map(() => 'lost'), ...declined.map(() => 'failed')]
    expect(await statesOf(id)).toEqual(states.map((state, index) => `1/${index + 1} ${state}`))
    expect(await find(id)).toMatchObject({ status: 'past_due' })
    const warnings = await Promise.all(
      (await charges(id)).map(({ paymentId }) =>
        listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId),
      ),
    )
    expect(warnings.map(({ length }) => length)).toEqual([0, 1, 1, 0, 0, 0, 0])
    expect(warnings[2]?.[0]?.detail).toContain('3 charges for this period were sent')
  })
})

describe('a charge that the bank is still working on', () => {
  test('blocks other charges, also after the end of its period', async () => {
    bank.bends.push('pending')
    const { id } = await openSubscription({ interval: 'day' })
    await sweep(kassa)
    const before = (await find(id))?.status
    for (let hours = 0; hours < 5 * 24; hours += 6) await pass(6 * HOUR_MS)
    // The charge's payment has expired by now. But the bank is still working on the charge, so it is open, and nothing else is charged.
    expect([bank.known.size, await statesOf(id)]).toEqual([1, ['1/1 open']])
    expect([(await paymentOf(id, 0))?.status, (await find(id))?.status]).toEqual(['pending_payment', before])
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'taken' })
    await pass(DAY_MS)
    // Days 2 to 6 have passed completely, so they are not charged.
    expect(await statesOf(id)).toEqual(['1/1 paid', '7/1 paid'])
  })

  test('and that had failed before pays its period when its money arrives', async () => {
    bank.bends.push('decline')
    const { id } = await openSubscription()
    await sweep(kassa)
    expect((await find(id))?.status).toBe('past_due')
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'taken' })
    await pass(2 * DAY_MS + MINUTE_MS)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 paid'], 0])
    expect((await find(id))?.status).toBe('active')
  })

  test('and that the bank then declines for good ends the subscription', async () => {
    const { id } = await openSubscription()
    bank.bends.push('pending')
    await sweep(kassa)
    for (const [reference, known] of bank.known) bank.known.set(reference, { ...known, state: 'refused' })
    await pass(MINUTE_MS)
    expect(await find(id)).toMatchObject({ status: 'cancelled', cancelReason: 'hard_decline' })
  })
})

describe('a subscription that ends during a charge', () => {
  test('because it is cancelled lets the sent charge finish, and sends no other', async () => {
    bank.bends.push('pending')
    const { id } = await openSubscription()
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
    'because %s never sends a charge that was stored but not sent yet',
    async (how) => {
      const { id, tokenId } = await openSubscription()
      // Let the worker die after it has stored the charge and before it marks the charge as sent.
      let stored = 0
      for (let statements = 4; statements < 60 && stored === 0; statements++) {
        await kassa.ctx.db.query(
          'update sandbox.subscriptions set due_at = anchor_at where due_at is not null',
        )
        const dying = { ...kassa.ctx, db: mortalDb(kassa.ctx.db, statements) }
        await SWEEPS.renewals(dying).catch(() => {})
        stored = (await charges(id)).length
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

test('ten workers that work on the same subscription at once charge its period once', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await openSubscription()
    const due = await find(id)
    if (!due) throw new Error(`The subscription ${id} does not exist.`)
    await Promise.allSettled(Array.from({ length: 10 }, () => workOnSubscription(kassa.ctx, due)))
    await sweep(kassa)
    expect([await statesOf(id), bank.taken.length]).toEqual([['1/1 paid'], round + 1])
  }
})

test('the database rejects a second charge beside one that is open, and one for a period that is paid', async () => {
  const { id } = await openSubscription()
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

test('renewals that were switched off are not sent; they go on when they are switched on again', async () => {
  const { id } = await openSubscription()
  await SWEEPS.renewals(kassa.ctx)
  expect(await statesOf(id)).toEqual(['1/1 paid'])
  const { route_a: route } = kassa.ctx.routes
  kassa.clock.advance(32 * DAY_MS)
  for (const off of [
    { RENEWALS: 'disabled' },
    { OPERATIONS: 'disabled' },
    { OPERATIONS: 'not_configured' },
  ]) {
    kassa.ctx.routes.route_a = { ...route, settings: { ...route.settings, ...off } }
    kassa.clock.advance(2 * MINUTE_MS)
    await SWEEPS.renewals(kassa.ctx)
    expect([off, bank.taken.length]).toEqual([off, 1])
  }
  kassa.ctx.routes.route_a = route
  kassa.clock.advance(2 * MINUTE_MS)
  await SWEEPS.renewals(kassa.ctx)
  expect(bank.taken).toHaveLength(2)
})
