/** Renewals that cannot be sent, at a provider without keys: a charge that never left is no attempt. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000
const kassa = await openKassa()
const plain = kassa.ctx.routes.route_a
let shop: Shop
let bank: ChargingBank
beforeEach(async () => {
  bank = openChargingBank(kassa.ctx)
  shop = await openShop(kassa.ctx)
})
afterEach(async () => {
  kassa.ctx.routes.route_a = plain
  await kassa.ctx.db.query('update sandbox.subscriptions set due_at = null')
})

async function subscribe(interval: 'day' | 'month'): Promise<string> {
  const body = subscriptionRequest(await openToken(kassa.url, shop), { interval })
  return (await createSubscription(kassa.url, shop, { body })).body.subscription.id
}
const charges = (subscriptionId: string) =>
  listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
const statesOf = async (id: string) => (await charges(id)).map(({ period, state }) => `${period} ${state}`)
const find = (id: string) => findSubscription(kassa.ctx.db, shop.merchantId, id)

async function passHours(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 3) {
    kassa.clock.advance(3 * HOUR_MS)
    for (const sweep of ['renewals', 'statusSync'] as const) await SWEEPS[sweep](kassa.ctx)
  }
}

test('a charge waits for a bank that is away for four days, with one warning and without an attempt, and is paid when the bank is back', async () => {
  const id = await subscribe('month')
  bank.isUnreachable = true
  await SWEEPS.renewals(kassa.ctx)
  await passHours(4 * 24)
  const [charge] = await charges(id)
  const paymentId = charge?.paymentId ?? ''
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, paymentId)
  expect([await statesOf(id), charge?.sentAt, payment?.status]).toEqual([['1 open'], null, 'pending_payment'])
  const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId)
  expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('for three days')])
  bank.isUnreachable = false
  await passHours(12)
  expect([await statesOf(id), bank.taken.length, (await find(id))?.status]).toEqual([['1 paid'], 1, 'active'])
})

test.each([
  ['refuses the account, and repeats this for the same request', 'restrict', 3],
  ['does not take requests for the moment', 'busy', 0],
] as const)(
  'a charge at a bank that %s is no attempt, and is paid once afterwards',
  async (_, bend, refused) => {
    const id = await subscribe('month')
    bank.bends = [bend, bend, bend]
    await SWEEPS.renewals(kassa.ctx)
    expect(await charges(id)).toMatchObject([{ state: 'open', sentAt: null }])
    await passHours(24)
    expect([await statesOf(id), bank.taken.length, (await find(id))?.status]).toEqual([
      ['1 paid'],
      1,
      'active',
    ])
    expect((await charges(id))[0]?.refusedTimes).toBe(refused)
  },
)

test('the bank is asked for a charge that waited for days as for one that began when it was sent', async () => {
  const id = await subscribe('month')
  bank.isUnreachable = true
  await SWEEPS.renewals(kassa.ctx)
  await passHours(4 * 24)
  bank.isUnreachable = false
  bank.bends = ['lose']
  bank.away = true
  await passHours(12)
  const [charge] = await charges(id)
  const sentAt = charge?.sentAt?.getTime()
  expect([await statesOf(id), bank.taken.length]).toEqual([['1 open'], 1])
  // A driver looks for the order only between these times.
  expect(bank.opened?.after.getTime()).toBe(sentAt)
  expect(bank.opened?.before.getTime()).toBeGreaterThan(sentAt ?? Number.POSITIVE_INFINITY)
})

test('a charge that could not be sent in its whole period is dropped, and only the running period is charged', async () => {
  const id = await subscribe('day')
  await SWEEPS.renewals(kassa.ctx)
  bank.isUnreachable = true
  await passHours(3 * 24)
  expect((await find(id))?.status).toBe('active')
  bank.isUnreachable = false
  await passHours(12)
  const paid = (await charges(id)).filter(({ state }) => state === 'paid')
  expect([bank.taken.length, paid.length, paid.at(-1)?.period]).toEqual([2, 2, 4])
  expect((await find(id))?.status).toBe('active')
})

test('nobody can open an order of a renewal whose answer was lost: the buyer did not ask for it, and it may have been charged', async () => {
  const id = await subscribe('month')
  bank.bends = ['drop']
  await SWEEPS.renewals(kassa.ctx)
  const [charge] = await charges(id)
  const paymentId = charge?.paymentId ?? ''
  const answer = await fetch(`${kassa.url}/checkout/${paymentId}/continue`, {
    method: 'POST',
    redirect: 'manual',
  })
  await answer.text()
  expect(answer.headers.get('location')).not.toContain('/orders/')
  expect(await findPayment(kassa.ctx.db, shop.merchantId, paymentId)).toMatchObject({
    attempt: { state: 'opening', checkoutUrl: null },
  })
})
