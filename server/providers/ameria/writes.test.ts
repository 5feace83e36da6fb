/** Refunds, captures and cancellations at the simulated vPOS: each is sent once, and its codes are read with care. */
import { describe, expect, test } from 'vitest'
import { refusalIn } from '../../accounts/refusal.ts'
import { RICH } from '../../testing/providers/ameria/bench.ts'
import { setAmeriaScene } from '../../testing/providers/ameria/scene.ts'
import type { PaidOrder } from '../../testing/providers/driver-scenes.ts'
import { sumsOf } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { WriteName } from '../driver.ts'
import { wasNothingSent } from '../http.ts'
import { ameriaDriver } from './driver.ts'

const HOUR_MS = 3_600_000
const scene = closeAfter(await setAmeriaScene(RICH))

const write = (name: WriteName, order: PaidOrder, amountMinor = 700) =>
  scene
    .call(
      (call) =>
        ameriaDriver[name]?.(call, {
          ...order,
          key: crypto.randomUUID(),
          amountMinor,
          currency: 'AMD',
          reason: null,
        }),
      { steps: name === 'refund' ? 'one' : 'two' },
    )
    .catch((error: unknown) => error)

describe('code 07', () => {
  test('a refund that does not fit is refused', async () => {
    const order = await scene.paid()
    expect(await write('refund', order, 1_901)).toMatchObject({ kind: 'refused', refusal: 'order' })
    expect(sumsOf(scene.vpos, order.reference).refundedMinor).toBe(0)
  })

  test('nobody knows of a refund that fits, and of one that was made', async () => {
    const order = await scene.paid()
    scene.vpos.failNext('RefundPayment', '07')
    expect(await write('refund', order)).toMatchObject({ kind: 'unknown' })
    await write('refund', order, 1_900)
    expect(await write('refund', order, 1_900)).toMatchObject({ kind: 'unknown' })
  })

  test('nobody knows where the question that should explain it fails, whyever', async () => {
    for (const answer of [{ status: 429 }, { status: 500 }, { status: 200, body: '{"ResponseCode":"20"}' }]) {
      const order = await scene.paid()
      scene.vpos.failNext('RefundPayment', '07')
      scene.proxy.answerWith({ ...answer, isMeant: (_, path) => path.endsWith('GetPaymentDetails') })
      const result = await write('refund', order)
      scene.proxy.answerWith(null)
      expect(result).toMatchObject({ kind: 'unknown' })
    }
  })

  test('a cancellation is not called refused by it', async () => {
    const order = await scene.paid({ steps: 'two' })
    scene.vpos.failNext('CancelPayment', '07')
    expect(await write('void', order, 1_900)).toMatchObject({ kind: 'unknown' })
  })
})

describe('other codes', () => {
  test.each(['500', '520', '560', '777', 'fault', '1'])('%s says nothing of a write', async (code) => {
    const order = await scene.paid()
    scene.vpos.failNext('RefundPayment', code)
    expect(await write('refund', order)).toMatchObject({ kind: 'unknown' })
  })

  test.each(['04', '05', '06', '50', '510'])('%s refuses this write alone', async (code) => {
    const order = await scene.paid()
    scene.vpos.failNext('RefundPayment', code)
    expect(await write('refund', order)).toMatchObject({ kind: 'refused', refusal: 'order' })
  })

  test('a right that the bank has not given is the account’s, and everything else goes on', async () => {
    const [one, two] = [await scene.paid(), await scene.paid({ steps: 'two' })]
    scene.vpos.shop.lacks = new Set(['refunds', 'cancellations'])
    const refused = [await write('refund', one), await write('void', two, 1_900)]
    scene.vpos.shop.lacks = new Set()
    for (const each of refused) {
      expect(refusalIn(each)?.refusal).toBe('rights')
      expect(wasNothingSent(each)).toBe(true)
    }
    expect(await write('refund', one)).toEqual({ kind: 'done' })
    expect(await write('void', two, 1_900)).toEqual({ kind: 'done' })
  })

  test('550 after a password that was replaced meanwhile is about the login, and nobody knows of the write', async () => {
    const order = await scene.paid()
    const result = await scene
      .call(
        (call) =>
          ameriaDriver.refund?.(call, {
            ...order,
            key: 'a',
            amountMinor: 700,
            currency: 'AMD',
            reason: null,
          }),
        { credentials: 'wrong' },
      )
      .catch((error: unknown) => error)
    expect(refusalIn(result)?.refusal).toBe('credentials')
    expect(wasNothingSent(result)).toBe(false)
  })
})

describe('what is sent', () => {
  test('a capture takes a part once, and a part of that is refunded', async () => {
    const order = await scene.paid({ steps: 'two' })
    expect(await write('capture', order, 950)).toEqual({ kind: 'done' })
    expect(scene.sent('ConfirmPayment')).toMatchObject({ Amount: '9.50' })
    await scene.look(order, { steps: 'two' })
    expect(await write('capture', order, 100)).not.toMatchObject({ kind: 'done' })
    await write('refund', order, 333)
    const sums = { capturedMinor: 950, refundedMinor: 333 }
    expect(await scene.look(order, { steps: 'two' })).toMatchObject(sums)
    expect(sumsOf(scene.vpos, order.reference)).toMatchObject(sums)
  })

  test('zero is never sent', async () => {
    const order = await scene.paid()
    const before = scene.count('RefundPayment')
    expect(await write('refund', order, 0)).toBeInstanceOf(Error)
    expect(scene.count('RefundPayment')).toBe(before)
  })

  test('a payment whose id is lost is found by its number', async () => {
    const order = await scene.paid()
    expect(await write('refund', { ...order, state: null })).toEqual({ kind: 'done' })
    expect(sumsOf(scene.vpos, order.reference).refundedMinor).toBe(700)
  })

  test('a payment is cancelled within 72 hours after it was opened, whenever it was paid', async () => {
    const order = await scene.paid()
    const begunAt = new Date('2026-11-29T12:00:00Z')
    const why = (afterMs: number, changes = {}) =>
      scene.call((call) =>
        ameriaDriver.eligible?.({ ...call, now: () => new Date(begunAt.getTime() + afterMs) }, 'void', {
          ...order,
          begunAt,
          snapshot: { ...order.before, capturedAt: new Date().toISOString(), ...changes },
        }),
      )
    expect(await why(72 * HOUR_MS - 1)).toBeNull()
    expect(await why(72 * HOUR_MS)).toContain('72 hours')
    expect(await why(0, { refundedMinor: 1 })).toContain('refunded')
    await scene.simulator.advance(72 * HOUR_MS)
    expect(await write('void', order, 1_900)).toMatchObject({ kind: 'unknown' })
    expect(sumsOf(scene.vpos, order.reference).isReversed).toBe(false)
  })
})
