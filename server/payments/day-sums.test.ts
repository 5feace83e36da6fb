/** The sum of a day: it ends at midnight in the shop, another time zone begins no new one, and a replaced token keeps it. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { issueToken, rotateToken } from '../merchants/api-key.ts'
import { setBranding } from '../merchants/branding.ts'
import { type LimitChanges, setTokenLimits } from '../merchants/token-limits.ts'
import { actOnMoney } from '../operator/acts/money.ts'
import { storeLimit } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { listPaymentOperations } from '../storage/payments/operations.ts'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { dropOldSums } from '../worker/retention.ts'
import { applyOperationIn } from './operation-change.ts'

const DAY_MS = 24 * 3_600_000
const HOUR_MS = 3_600_000
const LIMIT = 1_000
const OPERATIONS = ['operations.write'] as const

let shop: Shop
let count = 0
const kassa = await openKassa()
beforeAll(async () => {
  await addUser(kassa.ctx, { name: 'Root', role: 'administrator' })
})
/** Each test has a shop and a week of its own. */
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  kassa.clock.advance(7 * DAY_MS)
})

/** Moves the clock to the next moment at which the clocks of the time zone show this hour, such as 23:59. */
function goTo(hour: string, timeZone = 'UTC'): void {
  const shown = () =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
      kassa.clock.now(),
    )
  const minuteMs = 60_000
  kassa.clock.advance(minuteMs - (kassa.clock.now().getTime() % minuteMs))
  while (shown() !== hour) kassa.clock.advance(minuteMs)
}
const setZone = (timeZone: string, of = shop) => setBranding(kassa.ctx, of.merchantId, { timeZone })

async function person(limits: LimitChanges = { refundLimits: { USD: LIMIT } }): Promise<string> {
  const name = `Person ${++count}`
  const email = `person${count}@pay.example`
  return (await addUser(kassa.ctx, { name, email, role: 'operator', ...limits })).operator.id
}
async function pay(of = shop): Promise<string> {
  const key = `day-${++count}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 5_000 })
  const { body: session } = await createSession(kassa.url, of, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}
/** Payments whose refund was refused, by shop. They are as they were, so the next refund takes them. */
const unspent = new Map<Shop, string[]>()
/** Whether the person may return so much now, of a payment of this shop. */
async function returns(id: string, amountMinor: number, of = shop): Promise<boolean> {
  const paymentId = unspent.get(of)?.pop() ?? (await pay(of))
  const key = `r-${++count}`
  const args = { paymentId, amountMinor, why: 'broken', key }
  const by = { id, tokenId: null, isAlone: true }
  return actOnMoney(kassa.ctx, 'refund', args, 'Ani', by).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'refund_limit_reached' })
      unspent.set(of, [...(unspent.get(of) ?? []), paymentId])
      return false
    },
  )
}
async function refunds(token: string, amountMinor: number): Promise<number> {
  const body = { reason: 'sent back', amountMinor }
  const by = { ...shop, token }
  return (await askOperation(kassa.url, by, await pay(), 'refunds', { key: `t-${++count}`, body })).status
}

test.each(['UTC', 'America/Los_Angeles', 'Asia/Kathmandu'])(
  'the sum of a day ends at midnight in %s, and not before',
  async (zone) => {
    await setZone(zone)
    const id = await person()
    goTo('00:01', zone)
    expect([await returns(id, LIMIT), await returns(id, 1)]).toEqual([true, false])
    goTo('23:59', zone)
    expect(await returns(id, 1)).toBe(false)
    goTo('00:00', zone)
    expect([await returns(id, LIMIT), await returns(id, 1)]).toEqual([true, false])
  },
)

test('another time zone begins no new day, in either direction and there and back', async () => {
  await setZone('Asia/Yerevan')
  const id = await person()
  goTo('12:00', 'Asia/Yerevan')
  expect(await returns(id, LIMIT)).toBe(true)
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Midway', 'UTC', 'Pacific/Kiritimati', 'Asia/Yerevan']) {
    await setZone(zone)
    expect([zone, await returns(id, 1)]).toEqual([zone, false])
  }
  // The day in which it was returned is over at midnight of the time zone in which it began.
  await setZone('Pacific/Kiritimati')
  goTo('23:59', 'Asia/Yerevan')
  expect(await returns(id, 1)).toBe(false)
  goTo('00:01', 'Asia/Yerevan')
  expect([await returns(id, LIMIT), await returns(id, 1)]).toEqual([true, false])
})

test('the same holds for the limit of the second person', async () => {
  await setZone('Asia/Yerevan')
  const id = await person({})
  await inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', LIMIT))
  goTo('12:00', 'Asia/Yerevan')
  const refund = async (amountMinor: number) => {
    const args = { paymentId: await pay(), amountMinor, why: 'broken', key: `s-${++count}` }
    const by = { id, tokenId: null, isAlone: true }
    return actOnMoney(kassa.ctx, 'refund', args, 'Ani', by).then(
      () => 'done',
      ({ code }) => code,
    )
  }
  expect(await refund(LIMIT)).toBe('done')
  await setZone('Pacific/Kiritimati')
  expect(await refund(1)).toBe('payment_not_eligible')
  await inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', null))
})

test('shops of several time zones share the sums of a person, also at the same moment', async () => {
  const zones = ['Pacific/Midway', 'UTC', 'Pacific/Kiritimati']
  const shops = [shop, await openShop(kassa.ctx), await openShop(kassa.ctx)]
  for (const [index, zone] of zones.entries()) await setZone(zone, shops[index])
  // In the three shops it is the evening of one day, the noon of the next, and the morning of the one after that.
  goTo('10:30')
  const id = await person()
  const done = await Promise.all(shops.map((each) => returns(id, 600, each)))
  expect(done.filter(Boolean)).toHaveLength(1)
  const rest = await Promise.all([...shops, ...shops].map((each) => returns(id, 200, each)))
  expect(rest.filter(Boolean)).toHaveLength(2)
})

test('what is refused by the provider leaves the sum of its day', async () => {
  await setZone('Asia/Yerevan')
  const id = await person()
  goTo('12:00', 'Asia/Yerevan')
  const paymentId = await pay()
  const args = { paymentId, amountMinor: LIMIT, why: 'broken', key: `f-${++count}` }
  await actOnMoney(kassa.ctx, 'refund', args, 'Ani', { id, tokenId: null, isAlone: true })
  await setZone('Pacific/Kiritimati')
  expect(await returns(id, 1)).toBe(false)
  const [operation] = await listPaymentOperations(kassa.ctx.db, shop.merchantId, paymentId)
  if (!operation) throw new Error('There is no operation.')
  await inTransaction(kassa.ctx.db, (tx) =>
    applyOperationIn(kassa.ctx, tx, operation, { to: 'failed', cause: 'provider', dueAt: null }),
  )
  expect([await returns(id, LIMIT), await returns(id, 1)]).toEqual([true, false])
})

test('a token that is replaced keeps the sum of its day, and both share it while both work', async () => {
  const { merchantId } = shop
  const doer = { id: await person({}), isApproved: true }
  const limits = { refundLimits: { USD: LIMIT }, refundLimitsDay: { USD: LIMIT } }
  const first = await issueToken(kassa.ctx, {
    merchantId,
    scopes: [...OPERATIONS, 'payments.write'],
    doer,
    ...limits,
  })
  expect(await refunds(first.token, 900)).toBe(201)
  const second = await rotateToken(kassa.ctx, first.tokenId, '24h', doer)
  expect([await refunds(second.token, 101), await refunds(first.token, 101)]).toEqual([409, 409])
  const third = await rotateToken(kassa.ctx, second.tokenId, '24h', doer)
  expect([
    await refunds(third.token, 60),
    await refunds(second.token, 41),
    await refunds(first.token, 40),
  ]).toEqual([201, 409, 201])
  await setTokenLimits(kassa.ctx, { tokenId: third.tokenId, doer, refundLimitsDay: { USD: LIMIT + 50 } })
  expect([await refunds(third.token, 51), await refunds(third.token, 50)]).toEqual([409, 201])
})

test('sums of days that are over are deleted, and those that count stay', async () => {
  const id = await person()
  goTo('12:00')
  const sums = async () =>
    (await kassa.ctx.db.query('select from sandbox.returned_sums where who = $1', [id])).rowCount
  expect(await returns(id, LIMIT)).toBe(true)
  await dropOldSums(kassa.ctx)
  expect([await sums(), await returns(id, 1)]).toEqual([1, false])
  kassa.clock.advance(9 * DAY_MS)
  await dropOldSums(kassa.ctx)
  expect([await sums(), await returns(id, LIMIT)]).toEqual([0, true])
  kassa.clock.advance(HOUR_MS)
})
