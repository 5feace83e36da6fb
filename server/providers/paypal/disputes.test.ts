/** Disputes at PayPal have amounts, and an inquiry is none. */
import { beforeEach, expect, test } from 'vitest'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { openDispute } from '../../testing/providers/paypal/disputes.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'

const HOUR_MS = 3_600_000

const scene = closeAfter(await setPaypalScene())
beforeEach(() => {
  scene.server.paypal.world.isFull = true
})

test('a dispute about a part is lost for that part, and the rest can be refunded', async () => {
  const id = await scene.pay('dispute_part_lost')
  await scene.later(60_000)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'disputed', attempt: { disputedMinor: 950 } })
  expect((await scene.ask(id, 'refunds', { amountMinor: 951, reason: 'returned' })).status).toBe(409)
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
  await scene.ask(id, 'refunds', { amountMinor: 950, reason: 'returned' })
  await scene.later(2_000)
  expect(await scene.payment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
})

test('the money of a lost dispute that PayPal lists among the refunds counts once', async () => {
  const id = await scene.pay('dispute_part_lost')
  await scene.later(60_000)
  await scene.deliver()
  await scene.later(25 * HOUR_MS)
  const [order] = await scene.orders(id)
  const [capture] = order?.captures ?? []
  const amount = { currency_code: 'USD' as const, value: '9.50' }
  if (capture)
    order?.refunds.push({
      id: 'RDISPUTE',
      captureId: capture.id,
      status: 'COMPLETED',
      amount,
      customId: undefined,
      createdAt: scene.kassa.clock.now(),
    })
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
})

test('a lost dispute takes no more than refunds have left', async () => {
  const id = await scene.pay('dispute_part_lost')
  await scene.ask(id, 'refunds', { amountMinor: 1500, reason: 'returned' })
  await scene.later(2_000)
  await scene.later(60_000)
  await scene.deliver()
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  const payment = await scene.payment(id)
  expect(payment).toMatchObject({ refundedMinor: 1900, attempt: { disputeLostMinor: 400 } })
  const entries = await listEntries(scene.kassa.ctx.db, payment)
  expect(entries.map(({ kind, amountMinor }) => `${kind} ${amountMinor}`)).not.toContainEqual(
    expect.stringContaining('over_returned'),
  )
})

test('several disputes of one payment are summed', async () => {
  const id = await scene.pay('dispute_part_lost')
  await scene.later(60_000)
  const [order] = await scene.orders(id)
  if (order) openDispute(scene.server.paypal.world, scene.server.account, order)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'disputed', attempt: { disputedMinor: 1900 } })
  await scene.later(26 * HOUR_MS)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'reversed', refundedMinor: 1900 })
})

test('a buyer who only asks has taken no money: the payment stays paid, and a full refund ends the case', async () => {
  const id = await scene.pay('inquiry')
  await scene.later(60_000)
  await scene.deliver()
  expect(await scene.status(id)).toBe('paid')
  const warnings = await listPaymentWarnings(scene.kassa.ctx.db, scene.shop.merchantId, id)
  expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('1900 minor units')])
  await scene.ask(id, 'refunds', { amountMinor: 500, reason: 'returned' })
  await scene.later(2_000)
  expect((await scene.operations(id)).at(-1)).toMatchObject({
    status: 'failed',
    statusReason: expect.stringContaining('no refund of a part'),
  })
  await scene.ask(id, 'refunds', { amountMinor: 1900, reason: 'returned' })
  await scene.later(2_000)
  expect(await scene.payment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
})

test('of which PayPal names neither amount nor stage, it is about everything that was not returned', async () => {
  scene.server.paypal.world.isFull = false
  const id = await scene.pay('dispute_part_lost')
  await scene.ask(id, 'refunds', { amountMinor: 400, reason: 'returned' })
  await scene.later(2_000)
  await scene.later(60_000)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({
    status: 'disputed',
    refundedMinor: 400,
    attempt: { disputedMinor: 1500 },
  })
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'reversed', refundedMinor: 1900 })
})

test('a lost dispute stays lost while PayPal does not let the app read disputes any more', async () => {
  const id = await scene.pay('dispute_part_lost')
  await scene.later(60_000)
  await scene.deliver()
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
  scene.server.account.mayReadDisputes = false
  await scene.later(25 * HOUR_MS)
  await scene.later(25 * HOUR_MS)
  scene.server.account.mayReadDisputes = true
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 950 })
})
