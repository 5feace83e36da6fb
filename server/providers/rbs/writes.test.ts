/** Refunds, captures and reversals at the simulated gateway: each is sent once, and code 7 is looked into. */
import { describe, expect, test } from 'vitest'
import type { PaidOrder } from '../../testing/providers/driver-scenes.ts'
import { OTHER_BANK } from '../../testing/providers/rbs/bench.ts'
import { type RbsScene, setRbsScene } from '../../testing/providers/rbs/scene.ts'
import { sumsOf } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { WriteName } from '../driver.ts'
import { rbsDriver } from './driver.ts'

const scene = closeAfter(await setRbsScene())

const write = (
  on: RbsScene,
  name: WriteName,
  order: PaidOrder,
  amountMinor = 700,
  key = crypto.randomUUID(),
  refusedTimes = 0,
) =>
  on.call(
    (call) =>
      rbsDriver[name]?.(call, { ...order, key, refusedTimes, amountMinor, currency: 'AMD', reason: null }),
    {
      steps: name === 'refund' ? 'one' : 'two',
    },
  )

describe('code 7', () => {
  test('the refund does not fit, so it is refused', async () => {
    const order = await scene.paid()
    expect(await write(scene, 'refund', order, 1_901)).toMatchObject({ kind: 'refused', refusal: 'order' })
    expect(sumsOf(scene.server, order.reference).refundedMinor).toBe(0)
  })

  test('the gateway fails at a refund that fits, so nobody knows', async () => {
    const order = await scene.paid()
    scene.server.failNext('refund.do', 7)
    expect(await write(scene, 'refund', order)).toMatchObject({ kind: 'unknown' })
  })

  test('the gateway has refunded all the same, so it is not called refused', async () => {
    const order = await scene.paid()
    await write(scene, 'refund', order, 1_900)
    // The same request again: what is left is too little, and the amounts are not those from before.
    expect(await write(scene, 'refund', order, 1_900)).toMatchObject({ kind: 'unknown' })
  })

  test('the question that should explain it fails, whyever, so nobody knows', async () => {
    for (const answer of [{ status: 429 }, { status: 200, body: '{"errorCode":"5"}' }, { status: 500 }]) {
      const order = await scene.paid()
      scene.server.failNext('refund.do', 7)
      const isMeant = (_: string, path: string) => path.endsWith('getOrderStatusExtended.do')
      scene.proxy.answerWith({ ...answer, isMeant })
      const result = await write(scene, 'refund', order)
      scene.proxy.answerWith(null)
      expect(result).toMatchObject({ kind: 'unknown' })
    }
  })

  test('a reversal that failed is not called refused: nobody knows what the gateway has begun', async () => {
    const order = await scene.paid({ steps: 'two' })
    scene.server.failNext('reverse.do', 7)
    expect(await write(scene, 'void', order)).toMatchObject({ kind: 'unknown' })
  })
})

describe('what is sent', () => {
  test('a capture takes a part once, and the rest is released', async () => {
    const order = await scene.paid({ steps: 'two' })
    expect(await write(scene, 'capture', order, 700)).toEqual({ kind: 'done' })
    expect(scene.sent('deposit.do')).toMatchObject({ amount: '700' })
    expect(await scene.look(order, { steps: 'two' })).toMatchObject({ capturedMinor: 700, refundedMinor: 0 })
    expect(await write(scene, 'capture', { ...order, before: await scene.look(order) }, 100)).toMatchObject({
      kind: 'refused',
    })
  })

  test('a part of a partial capture is refunded, and the sums stay right', async () => {
    const order = await scene.paid({ steps: 'two' })
    await write(scene, 'capture', order, 900)
    await scene.look(order, { steps: 'two' })
    await write(scene, 'refund', order, 300)
    const { capturedMinor, refundedMinor } = await scene.look(order, { steps: 'two' })
    expect({ capturedMinor, refundedMinor }).toMatchObject({ capturedMinor: 900, refundedMinor: 300 })
    expect(sumsOf(scene.server, order.reference)).toMatchObject({ capturedMinor, refundedMinor })
  })

  test('zero, which means everything to the bank, is never sent', async () => {
    const order = await scene.paid()
    const before = scene.count('refund.do')
    await expect(write(scene, 'refund', order, 0)).rejects.toThrow('above zero')
    expect(scene.count('refund.do')).toBe(before)
  })

  test('less than one unit of the currency is refused here, because the bank does not tell that from a failure', async () => {
    const order = await scene.paid()
    const before = scene.count('refund.do')
    expect(await write(scene, 'refund', order, 99)).toMatchObject({ kind: 'refused', refusal: 'order' })
    expect(scene.count('refund.do')).toBe(before)
    expect(await write(scene, 'refund', order, 100)).toEqual({ kind: 'done' })
  })

  test('an order whose id is lost is for a person', async () => {
    const order = await scene.paid()
    const lost = { ...order, state: null }
    expect(await write(scene, 'refund', lost)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('id'),
    })
    expect(sumsOf(scene.server, order.reference).refundedMinor).toBe(0)
  })

  test('where the bank takes refund ids, a repeated refund is done once', async () => {
    const other = await setRbsScene(OTHER_BANK, { REFUND_IDS: 'enabled' })
    const order = await other.paid()
    const key = '0f8fad5b-d9cb-469f-a165-70867728950e'
    for (let times = 0; times < 2; times++)
      expect(await write(other, 'refund', order, 700, key)).toEqual({ kind: 'done' })
    expect(other.sent('refund.do').externalRefundId).toBe('0f8fad5bd9cb469fa16570867728950e')
    expect(sumsOf(other.server, order.reference).refundedMinor).toBe(700)
    const ids: (string | undefined)[] = []
    for (const times of [1, 1, 2]) {
      await write(other, 'refund', order, 100, key, times)
      ids.push(other.sent('refund.do').externalRefundId)
    }
    expect(ids[0]).toBe(ids[1])
    expect(new Set([...ids, '0f8fad5bd9cb469fa16570867728950e']).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(sumsOf(other.server, order.reference).refundedMinor).toBe(900)
    // The id of a lost registration is in every answer of this bank.
    expect(await write(other, 'refund', { ...order, state: null }, 300)).toEqual({ kind: 'done' })
    await other.close()
  })
})

describe('what is not sent', () => {
  const MIDNIGHT = Date.parse('2026-11-29T20:00:00Z')
  const settings = () => scene.simulator.settings(scene.server.origin, { credentials: 'right', steps: 'one' })
  const why = (name: WriteName, nowMs: number, snapshot: object, { state = {}, changes = {} } = {}) =>
    rbsDriver.eligible?.(
      { settings: { ...settings(), ...changes }, now: () => new Date(nowMs) } as Parameters<
        NonNullable<typeof rbsDriver.eligible>
      >[0],
      name,
      {
        reference: 'a',
        begunAt: new Date(nowMs),
        state: { id: 'x', steps: 'two', ...state },
        snapshot: {
          order: 'completed',
          reference: 'a',
          amountMinor: 1_900,
          currency: 'AMD',
          authorizedMinor: 1_900,
          capturedMinor: 0,
          refundedMinor: 0,
          ...snapshot,
        },
      },
    )

  test('a hold is released until the end of its day in Yerevan, and not a moment longer', () => {
    const heldAt = new Date(MIDNIGHT - 10 * 60_000).toISOString()
    expect(why('void', MIDNIGHT - 1, { heldAt })).toBeNull()
    expect(why('void', MIDNIGHT, { heldAt })).toContain('until the end of its day')
    expect(why('void', MIDNIGHT, { heldAt }, { changes: { TIME_ZONE: 'Europe/Nicosia' } })).toBeNull()
    expect(why('void', MIDNIGHT, { heldAt }, { changes: { GATEWAY: 'other' } })).toBeNull()
  })

  test('money that is taken is reversed only where the bank has allowed it, in one step, and whole', () => {
    const taken = { capturedMinor: 1_900, capturedAt: new Date(MIDNIGHT - 1).toISOString() }
    const one = { state: { steps: 'one' } }
    expect(why('void', MIDNIGHT - 1, taken, one)).toContain('only be refunded')
    const allowed = { ...one, changes: { REVERSE_PAID: 'enabled' } }
    expect(why('void', MIDNIGHT - 1, taken, allowed)).toBeNull()
    expect(why('void', MIDNIGHT - 1, { ...taken, refundedMinor: 100 }, allowed)).toContain('refunded')
    expect(why('void', MIDNIGHT - 1, taken, { changes: { REVERSE_PAID: 'enabled' } })).toContain(
      'only be refunded',
    )
  })

  test('without amounts in the answers nobody could see what a refund or a capture has done', async () => {
    expect(why('refund', MIDNIGHT, {}, { state: { hasAmounts: false } })).toContain('version 03')
    expect(why('capture', MIDNIGHT, {}, { state: { hasAmounts: false } })).toContain('version 03')
    expect(why('refund', MIDNIGHT, {}, { state: { hasAmounts: true } })).toBeNull()
    for (const version of ['01', '02'] as const) {
      const old = await setRbsScene({ version })
      const order = await old.paid()
      expect([order.before.capturedMinor, order.state]).toEqual([
        1_900,
        expect.objectContaining({ hasAmounts: false }),
      ])
      await old.close()
    }
  })
})
