import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { DELIVERY_TASK } from '../receivers/announce.ts'
import { listRestingReceivers, setCallback } from '../receivers/receiver.ts'
import { findNextDueEvent, listMerchantsWithDueEvents } from '../storage/events/due-events.ts'
import { type EventRecord, listDeliveries, listPaymentEvents } from '../storage/events/events.ts'
import { addJob } from '../storage/jobs.ts'
import { startRepliesReceiver } from '../testing/attacks/replies-receiver.ts'
import { openShop } from '../testing/harness.ts'
import { livePayment } from '../testing/payments/status-changes.ts'
import { startFaultProxy } from '../testing/providers/fault-proxy.ts'
import { openKassa } from '../testing/scene.ts'
import { dropOldEvents } from './retention.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
/** Longer than the workers need to take up what is due. */
const QUIET_MS = 1_200
/** The delays that the guide *Receiving events* promises, in seconds. */
const PUBLISHED = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

let receiver: Awaited<ReturnType<typeof startRepliesReceiver>>
const kassa = await openKassa({ worker: true })
beforeEach(async () => {
  receiver = await startRepliesReceiver()
  return async () => {
    // Else the events of one test would fail during the next one.
    const text = "update sandbox.events set state = 'exhausted', due_at = null where state = 'pending'"
    await kassa.ctx.db.query(text)
    await receiver.close()
  }
})

const openShopHere = async () => (await openShop(kassa.ctx, { callbackUrl: receiver.url })).merchantId
const eventOf = async (merchantId: string, paymentId: string) =>
  (await listPaymentEvents(kassa.ctx.db, merchantId, paymentId))[0] as EventRecord
const newEvent = async (merchantId: string) =>
  eventOf(merchantId, await livePayment(kassa.ctx, merchantId, 1))
const fresh = (event: EventRecord) => eventOf(event.merchantId, event.paymentId)
const stored = async (merchantId: string) =>
  (await kassa.ctx.db.query('select * from sandbox.receivers where merchant_id = $1', [merchantId])).rows[0]

/** Notes the changes of receivers but `closed`: the receiver of the test before may still be closing. */
function countTrouble() {
  const changes: string[] = []
  const before = kassa.ctx.metrics
  kassa.ctx.metrics = {
    ...before,
    receiverChanged: (change) => {
      if (change !== 'closed') changes.push(change)
    },
  }
  const stopCounting = () => {
    kassa.ctx.metrics = before
  }
  return { changes, stopCounting }
}

async function attemptsMade(event: EventRecord, count: number): Promise<EventRecord> {
  await expect.poll(async () => (await fresh(event)).attempts, { interval: 20 }).toBe(count)
  return fresh(event)
}

/** Every attempt is over and stored. An attempt that is under way while the clock is moved would fail at the later time. */
async function untilStored(merchantId: string): Promise<void> {
  const missing = async () => {
    const { rows } = await kassa.ctx.db.query(
      'select sum(attempts)::int as n from sandbox.events where merchant_id = $1',
      [merchantId],
    )
    return rows[0].n - receiver.count
  }
  await expect.poll(missing, { interval: 20 }).toBe(0)
}

/** Due events are taken up now, and not only when a worker looks next. */
async function wakeWorkers(): Promise<void> {
  const { db } = kassa.ctx
  for (const merchantId of await listMerchantsWithDueEvents(db, kassa.clock.now()))
    await addJob(db, { task: DELIVERY_TASK, payload: { merchantId }, jobKey: `due ${merchantId}` })
}

async function advance(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await wakeWorkers()
}

/** To the moment when the next thing falls due, and not before it. */
async function advanceToNext(): Promise<void> {
  const now = kassa.clock.now()
  const next = await findNextDueEvent(kassa.ctx.db, now)
  expect(next).not.toBeNull()
  await advance((next?.getTime() ?? 0) - now.getTime() + 1)
}

describe('the schedule', () => {
  test('is the documented one, each time at most a tenth later, and then the event is kept as exhausted', async () => {
    receiver.reply = () => ({ status: 500 })
    const event = await newEvent(await openShopHere())
    for (let attempt = 1; attempt < PUBLISHED.length; attempt++) {
      await attemptsMade(event, attempt)
      await advanceToNext()
    }
    const last = await attemptsMade(event, PUBLISHED.length)
    expect([last.state, last.dueAt]).toEqual(['exhausted', null])
    const attempts = await listDeliveries(kassa.ctx.db, event.merchantId, event.id)
    for (const [index, { createdAt }] of attempts.entries()) {
      if (index === 0) continue
      const waited = (createdAt.getTime() - (attempts[index - 1]?.createdAt.getTime() ?? 0)) / SECOND
      expect(waited).toBeGreaterThanOrEqual(PUBLISHED[index] ?? 0)
      expect(waited).toBeLessThanOrEqual((PUBLISHED[index] ?? 0) * 1.1 + 2)
    }
  })

  test.each([
    ['120', 120 * SECOND, 121 * SECOND],
    ['1', 5 * SECOND, 5.5 * SECOND],
    ['999999', DAY, DAY + SECOND],
    ['date', 598 * SECOND, 601 * SECOND],
    ['soon', 5 * SECOND, 5.5 * SECOND],
  ])('Retry-After: %s is honoured up to a day, and never shortens the wait', async (header, least, most) => {
    const date = () => new Date(Date.now() + 600 * SECOND).toUTCString()
    receiver.reply = () => ({
      status: 503,
      headers: { 'retry-after': header === 'date' ? date() : header },
    })
    const event = await attemptsMade(await newEvent(await openShopHere()), 1)
    const [attempt] = await listDeliveries(kassa.ctx.db, event.merchantId, event.id)
    const waits = (event.dueAt?.getTime() ?? 0) - (attempt?.createdAt.getTime() ?? 0)
    expect(waits).toBeGreaterThanOrEqual(least)
    expect(waits).toBeLessThanOrEqual(most + SECOND)
  })

  test('starts again with a replay, while the number of attempts continues', async () => {
    receiver.reply = () => ({ status: 500 })
    const event = await attemptsMade(await newEvent(await openShopHere()), 1)
    await advance(6 * SECOND)
    await attemptsMade(event, 2)
    await kassa.ctx.db.query(
      'update sandbox.events set schedule_from = attempts, due_at = $2 where id = $1',
      [event.id, kassa.clock.now()],
    )
    await wakeWorkers()
    const again = await attemptsMade(event, 3)
    expect((again.dueAt?.getTime() ?? 0) - kassa.clock.now().getTime()).toBeLessThanOrEqual(5.5 * SECOND)
  })
})

describe('a receiver', () => {
  test('that fails five times in a row gets one event at a time, and no other event uses up an attempt', async () => {
    receiver.reply = () => ({ status: 500 })
    const merchantId = await openShopHere()
    const events: EventRecord[] = []
    for (let count = 0; count < 5; count++) events.push(await newEvent(merchantId))
    for (const event of events) await attemptsMade(event, 1)
    expect(await stored(merchantId)).toMatchObject({ failures: 5 })
    for (let count = 0; count < 20; count++) events.push(await newEvent(merchantId))
    await wakeWorkers()
    // Real time: an extra delivery comes within this time, or the test does not see it.
    await sleep(QUIET_MS)
    expect(receiver.count).toBe(5)
    await advance(6 * SECOND)
    await expect.poll(() => receiver.count).toBe(6)
    // Real time: the same.
    await sleep(QUIET_MS)
    expect(receiver.count).toBe(6)
    receiver.reply = () => ({ status: 200 })
    await advance(HOUR)
    for (const event of events) await expect.poll(async () => (await fresh(event)).state).toBe('delivered')
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(4)
    expect(await stored(merchantId)).toMatchObject({ failures: 0, probe_at: null })
  })

  /** A shop whose server can be taken away: connections to it are then refused. */
  async function openReplaceable() {
    const server = await startFaultProxy(new URL(receiver.url).origin)
    const callbackUrl = `${server.url}${new URL(receiver.url).pathname}`
    receiver.reply = () => ({ status: 200 })
    return { server, merchantId: (await openShop(kassa.ctx, { callbackUrl })).merchantId }
  }

  test('whose server is being replaced gets every event within ten seconds of its return', async () => {
    const { server, merchantId } = await openReplaceable()
    await server.setAway(true)
    const event = await attemptsMade(await newEvent(merchantId), 1)
    const other = await newEvent(merchantId)
    for (let attempt = 2; attempt <= 9; attempt++) {
      await advance(9 * SECOND)
      // Real time: an extra delivery comes within this time, or the test does not see it.
      await sleep(50)
      expect(await fresh(event)).toMatchObject({ attempts: attempt - 1, state: 'pending' })
      await advance(SECOND)
      await attemptsMade(event, attempt)
    }
    expect(await fresh(event)).toMatchObject({ attempts: 9, scheduleFrom: 9 })
    expect(await fresh(other)).toMatchObject({ attempts: 0 })
    await server.setAway(false)
    await advance(10 * SECOND)
    for (const each of [event, other])
      await expect.poll(async () => (await fresh(each)).state).toBe('delivered')
    expect(await stored(merchantId)).toMatchObject({ failures: 0, failing_since: null, probe_at: null })
    await server.close()
  })

  test('whose server stays away rests after ten minutes, and its event still has its whole schedule', async () => {
    const { changes, stopCounting } = countTrouble()
    const { server, merchantId } = await openReplaceable()
    await server.setAway(true)
    const event = await attemptsMade(await newEvent(merchantId), 1)
    for (let minute = 1; minute < 10; minute++) {
      await advance(59 * SECOND)
      await attemptsMade(event, minute + 1)
    }
    expect([await listRestingReceivers(kassa.ctx, [merchantId]), changes]).toEqual([[], []])
    await advance(70 * SECOND)
    const last = await attemptsMade(event, 11)
    expect(last).toMatchObject({ scheduleFrom: 10 })
    expect((last.dueAt?.getTime() ?? 0) - kassa.clock.now().getTime()).toBeLessThanOrEqual(5.5 * SECOND)
    await expect.poll(() => changes).toEqual(['opened'])
    stopCounting()
    expect(await listRestingReceivers(kassa.ctx, [merchantId])).toMatchObject([{ merchantId, failures: 5 }])
    await server.setAway(false)
    await advance(6 * SECOND)
    await expect.poll(async () => (await fresh(event)).state).toBe('delivered')
    await server.close()
  })

  test('is reported to the operator when it rests, is paused and is resumed', async () => {
    const { changes, stopCounting } = countTrouble()
    const merchantId = await openShopHere()
    receiver.reply = () => ({ status: 500 })
    const events: EventRecord[] = []
    for (let count = 0; count < 5; count++) events.push(await newEvent(merchantId))
    for (const event of events) await attemptsMade(event, 1)
    receiver.reply = () => ({ status: 410 })
    await advance(6 * SECOND)
    await expect.poll(async () => (await stored(merchantId)).paused_at).not.toBeNull()
    receiver.reply = () => ({ status: 200 })
    await advance(HOUR + SECOND)
    for (const event of events) await expect.poll(async () => (await fresh(event)).state).toBe('delivered')
    // A change is counted after the commit that the test waits for.
    await expect.poll(() => changes).toEqual(['opened', 'paused', 'resumed'])
    stopCounting()
  })

  test('that responds 410 is paused: it gets only one event an hour, which uses up no attempt', async () => {
    receiver.reply = () => ({ status: 410 })
    const merchantId = await openShopHere()
    const event = await attemptsMade(await newEvent(merchantId), 1)
    expect((await stored(merchantId)).paused_at).not.toBeNull()
    const other = await newEvent(merchantId)
    for (let hour = 1; hour <= 12; hour++) {
      await advance(30 * 60 * SECOND)
      // Real time: an extra delivery comes within this time, or the test does not see it.
      await sleep(50)
      expect(receiver.count).toBe(hour)
      await advance(31 * 60 * SECOND)
      await attemptsMade(event, hour + 1)
    }
    expect(await fresh(event)).toMatchObject({ state: 'pending', attempts: 13, scheduleFrom: 13 })
    expect(await fresh(other)).toMatchObject({ state: 'pending', attempts: 0 })
    receiver.reply = () => ({ status: 204 })
    await advance(HOUR + SECOND)
    for (const each of [event, other])
      await expect.poll(async () => (await fresh(each)).state).toBe('delivered')
    expect(await stored(merchantId)).toMatchObject({ failures: 0, paused_at: null, probe_at: null })
  })

  test('that fails for five days is paused, is tried hourly, and gets every event when it works again, four at a time', async () => {
    receiver.reply = () => ({ status: 500 })
    const merchantId = await openShopHere()
    const events: EventRecord[] = []
    for (let day = 0; day < 6; day++) {
      for (let count = 0; count < 10; count++) events.push(await newEvent(merchantId))
      const before = receiver.count
      await advance(DAY)
      await expect.poll(() => receiver.count).toBeGreaterThan(before)
      await untilStored(merchantId)
    }
    await expect.poll(async () => (await stored(merchantId)).paused_at).not.toBeNull()
    receiver.reply = () => ({ status: 200, afterMs: 20 })
    await advance(HOUR + 5 * 60 * SECOND)
    for (const event of events) await expect.poll(async () => (await fresh(event)).state).toBe('delivered')
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(4)
  })

  test('with a new address starts without failures, and gets at once the events that waited for the old address', async () => {
    receiver.reply = () => ({ status: 410 })
    const merchantId = await openShopHere()
    const event = await attemptsMade(await newEvent(merchantId), 1)
    receiver.reply = () => ({ status: 200 })
    await setCallback(kassa.ctx, merchantId, `${receiver.url}/new`)
    await expect.poll(async () => (await fresh(event)).state).toBe('delivered')
    expect(await stored(merchantId)).toEqual({
      merchant_id: merchantId,
      url: `${receiver.url}/new`,
      failures: 0,
      failing_since: null,
      paused_at: null,
      probe_at: null,
      accepted_at: expect.any(Date),
      earlier_until: null,
      taking_in_until: null,
    })
  })
})

test('events are deleted with their deliveries after 30 days, but not while they are still to be sent', async () => {
  const merchantId = await openShopHere()
  receiver.reply = () => ({ status: 200 })
  const taken = await newEvent(merchantId)
  await expect.poll(async () => (await fresh(taken)).state).toBe('delivered')
  receiver.reply = () => ({ status: 500 })
  const waiting = await attemptsMade(await newEvent(merchantId), 1)
  kassa.clock.advance(30 * DAY - HOUR)
  await dropOldEvents(kassa.ctx)
  expect(await fresh(taken)).toBeDefined()
  kassa.clock.advance(2 * HOUR)
  await dropOldEvents(kassa.ctx)
  expect(await fresh(taken)).toBeUndefined()
  expect(await listDeliveries(kassa.ctx.db, merchantId, taken.id)).toEqual([])
  expect((await fresh(waiting)).id).toBe(waiting.id)
})
