/**
 * Which id each write is sent with, at providers that do a write once for each id. A provider may return the result of another write
 * with the same id, and then do nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeOf } from '../testing/providers/driver-calls.ts'
import { type Scenes, startScenes } from '../testing/providers/driver-scenes.ts'
import { startPaypalBench } from '../testing/providers/paypal-bench.ts'
import { startStripeBench } from '../testing/providers/stripe-bench.ts'
import { requestIdOf } from './driver/request-id.ts'
import type { Driver, ProviderCall, WriteName } from './driver.ts'
import type { ProviderRequest } from './http.ts'
import { paypalDriver } from './paypal/driver.ts'
import { paypalRequestId } from './paypal/request-id.ts'
import { stripeDriver } from './stripe/driver.ts'
import { keyOfCharge, keyOfOpening, keyOfWrite } from './stripe/request-id.ts'

type Sent = { id: string; write: string }

describe('a text that names a write', () => {
  const form = { separator: '-', max: 38, marks: ['capture', 'void'] }

  test('is the same for the same write and different for every other', () => {
    const rooms = [
      'a',
      'a-capture',
      'a-void',
      'a-void-capture',
      'b'.repeat(38),
      'b'.repeat(39),
      'b'.repeat(200),
    ]
    const marks = [[], ['capture'], ['void'], ['capture', '1'], ['capture', '2']]
    const all = rooms.flatMap((room) => marks.map((each) => requestIdOf([room], each, form)))
    expect(new Set(all).size).toBe(rooms.length * marks.length)
    for (const id of all) expect(id.length).toBeLessThanOrEqual(38)
    expect(requestIdOf(['a'], ['void'], form)).toBe('a-void')
    expect(rooms.flatMap((room) => marks.map((each) => requestIdOf([room], each, form)))).toEqual(all)
  })
})

/** Calls the driver, and keeps the id of every write that it sends. */
function recorderOf<Settings>({ call }: Scenes<Settings>, header: string) {
  const sent: Sent[] = []
  return {
    sent,
    run: <Answer>(
      act: (call: ProviderCall<Settings>) => Answer | Promise<Answer>,
      variant: { steps?: 'one' | 'two' } = {},
    ) =>
      call((each) => {
        const request = (given: ProviderRequest) => {
          const id = given.headers?.[header]
          const { pathname } = new URL(given.url)
          if (id !== undefined) sent.push({ id, write: `${given.method} ${pathname} ${given.body ?? ''}` })
          return each.http.request(given)
        }
        return act({ ...each, http: { ...each.http, request } })
      }, variant),
  }
}

/** Every write of one order and of one saved method, each sent twice, with one text as reference and as key. */
async function sendAll<Settings>(scenes: Scenes<Settings>, header: string): Promise<Sent[]> {
  const { driver, simulator, attempt, savedMethod } = scenes
  const { sent, run } = recorderOf(scenes, header)
  async function write(name: WriteName, steps: 'one' | 'two') {
    const given = attempt()
    const opened = await run(async (each) => driver.startCheckout?.(each, given), { steps })
    if (opened?.kind !== 'redirect') throw new Error(`the checkout is ${opened?.kind}`)
    await run(async (each) => driver.startCheckout?.(each, given), { steps })
    await simulator.buyer(opened, driver.finalize ? 'approve' : 'pay')
    const order = { reference: given.reference, state: opened.state ?? null }
    for (let times = 0; times < 2; times++)
      await run(async (each) => driver.finalize?.(each, order, given.reference), { steps })
    const before = await scenes.look(order, { steps })
    expect(before).toMatchObject({ order: 'completed', authorizedMinor: given.amountMinor })
    const request = { ...writeOf({ ...order, attempt: given, before }, 700), key: given.reference }
    for (let times = 0; times < 2; times++)
      await run(async (each) => driver[name]?.(each, request), { steps })
    const after = await scenes.look(order, { steps })
    expect(after).toMatchObject(
      { refund: { refundedMinor: 700 }, capture: { capturedMinor: 700 }, void: { order: 'voided' } }[name],
    )
  }
  await write('refund', 'one')
  await write('capture', 'two')
  await write('void', 'two')
  const token = await savedMethod()
  const charge = { ...attempt(), token }
  for (let times = 0; times < 2; times++) await run(async (each) => driver.chargeToken?.(each, charge))
  expect(await simulator.charges(token)).toBe(1)
  return sent
}

function describeIds<Settings>(
  name: string,
  driver: Driver<Settings>,
  {
    start,
    header,
    max,
  }: { start: Parameters<typeof startScenes<Settings>>[0]['start']; header: string; max: number },
): void {
  describe(`${name}, whose writes have ids`, () => {
    let scenes: Scenes<Settings>
    beforeAll(async () => {
      scenes = await startScenes({ driver, start })
    })
    afterAll(() => scenes.close())

    test('sends each write with an id of its own, and a repetition with the same one', async () => {
      const sent = await sendAll(scenes, header)
      const writes = Map.groupBy(sent, ({ write }) => write)
      expect(writes.size).toBeGreaterThanOrEqual(7)
      const ids = [...writes.values()].map((all) => new Set(all.map(({ id }) => id)))
      for (const own of ids) expect(own.size).toBe(1)
      expect(new Set(sent.map(({ id }) => id)).size).toBe(writes.size)
      for (const { id } of sent) expect(id.length).toBeLessThanOrEqual(max)
    })
  })
}

describeIds('paypal', paypalDriver, { start: () => startPaypalBench(), header: 'paypal-request-id', max: 38 })
describeIds('stripe', stripeDriver, { start: () => startStripeBench(), header: 'idempotency-key', max: 255 })

describe('after an upgrade', () => {
  const [reference, key] = ['01k9order000000000000000', 'f'.repeat(32)]

  test('what must be done once has the id that the version before has sent', () => {
    expect(paypalRequestId('create', reference)).toBe(reference)
    for (const write of ['refund', 'captureHold', 'void'] as const)
      expect(paypalRequestId(write, key)).toBe(key)
    expect(keyOfOpening(reference)).toEqual({ idempotencyKey: reference })
    for (const write of ['refund', 'capture', 'cancel'] as const)
      expect(keyOfWrite(write, { reference, key })).toEqual({ idempotencyKey: `${reference}.${key}` })
  })

  test('a write that was sent after a refusal of the account has another id for each refusal', () => {
    const write = { reference, key }
    for (const idOf of [
      (refusedTimes: number) => paypalRequestId('refund', key, refusedTimes),
      (refusedTimes: number) => paypalRequestId('create', reference, refusedTimes),
      (refusedTimes: number) => keyOfCharge({ reference, refusedTimes }).idempotencyKey,
      (refusedTimes: number) => keyOfWrite('refund', { ...write, refusedTimes }).idempotencyKey,
    ]) {
      const ids = [0, 1, 2].map(idOf)
      expect(new Set([...ids, idOf(1)]).size).toBe(ids.length)
    }
  })

  test('an order is captured and authorized under ids of their own, which the version before did not send', () => {
    const ids = (['captureOrder', 'authorizeOrder'] as const).map((write) =>
      paypalRequestId(write, reference),
    )
    expect(new Set([reference, ...ids]).size).toBe(3)
  })
})
