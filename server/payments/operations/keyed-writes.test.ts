/** A write whose answer was lost: when it is sent again, and when never. */

import { expect, test } from 'vitest'
import type { Driver } from '../../providers/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import { MANY_CONNECTIONS } from '../../testing/harness.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'

const { kassa, getOperation, pay, askRefund, runOperations } = await openScene({ settings: MANY_CONNECTIONS })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A refund of 500 of a paid payment, carried out once. */
async function refund(): Promise<string> {
  const { body } = await askRefund((await pay()).id, 500)
  await runOperations()
  return body.operation.id
}

/** Moves the clock to when the service looks at the write again, and lets it look. Returns false if it will not look again. */
async function lookAgain(id: string): Promise<boolean> {
  const due = (await getOperation(id))?.dueAt
  if (!due) return false
  kassa.clock.advance(Math.max(0, due.getTime() - kassa.clock.now().getTime()) + 1)
  await runOperations()
  return true
}

test('a refund that was done is found in the books after the key was forgotten, and is not sent again', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  ledger.bends = ['lose']
  ledger.duringLookUp = async () => {
    // From the second look on, the bank is away.
    if (ledger.writes.length > 0) throw new Error('away')
  }
  const id = await refund()
  for (let hour = 0; hour < 25; hour++) {
    kassa.clock.advance(HOUR_MS)
    await runOperations()
  }
  ledger.duringLookUp = async () => {}
  kassa.clock.advance(HOUR_MS)
  await runOperations()
  expect((await getOperation(id))?.status).toBe('succeeded')
  expect(ledger.writes).toHaveLength(1)
})

test('a refund that was not done is not sent again once the provider may have forgotten the key', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  ledger.bends = ['drop', 'drop', 'drop']
  const id = await refund()
  kassa.clock.advance(25 * HOUR_MS)
  await runOperations()
  expect((await getOperation(id))?.status).toBe('requires_operator_review')
  expect(ledger.writes).toHaveLength(1)
})

test('a refund that was not done is not sent again to a provider that keys nothing but its opening', async () => {
  const ledger = openLedger(kassa.ctx)
  const { route_a } = kassa.ctx.routes
  kassa.ctx.routes.route_a = {
    ...route_a,
    driver: route_a.driver && { ...route_a.driver, keyed: () => ({ start: 24 * HOUR_MS }) },
  }
  ledger.bends = ['drop', 'drop']
  const id = await refund()
  kassa.clock.advance(HOUR_MS)
  await runOperations()
  expect((await getOperation(id))?.status).toBe('requires_operator_review')
  expect(ledger.writes).toHaveLength(1)
})

test('a refund whose bank then cannot be asked is sent once, asked about less and less, and after a week a person decides', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  let questions = 0
  ledger.bends = ['lose']
  ledger.duringLookUp = async () => {
    if (ledger.writes.length > 0) throw new Error(`away ${++questions}`)
  }
  const id = await refund()
  const requestedMs = kassa.clock.now().getTime()
  const agoMs = () => kassa.clock.now().getTime() - requestedMs
  while (agoMs() < 3 * HOUR_MS) await lookAgain(id)
  // A question a minute for an hour, and then one every 15 minutes, which is the pause until the week ends.
  expect(questions).toBeLessThan(80)
  const pauseMs = ((await getOperation(id))?.dueAt?.getTime() ?? 0) - kassa.clock.now().getTime()
  expect(pauseMs).toBeGreaterThan(10 * MINUTE_MS)
  expect(pauseMs).toBeLessThanOrEqual(16 * MINUTE_MS)
  kassa.clock.advance(7 * 24 * HOUR_MS - agoMs() - HOUR_MS)
  while (await lookAgain(id));
  expect(agoMs()).toBeGreaterThan(7 * 24 * HOUR_MS - HOUR_MS)
  expect(agoMs()).toBeLessThan(8 * 24 * HOUR_MS)
  const { status, statusReason } = (await getOperation(id)) ?? {}
  expect({ tellings: ledger.writes.length, status }).toEqual({
    tellings: 1,
    status: 'requires_operator_review',
  })
  expect(statusReason).toContain('7 days')
})

test('a refund that the bank loses each time is sent five times at most, with growing pauses, and then a person decides', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  ledger.bends = Array.from({ length: 100 }, () => 'drop' as const)
  const id = await refund()
  const tellings: number[] = []
  const requestedMs = kassa.clock.now().getTime()
  while (await lookAgain(id))
    if (ledger.writes.length > tellings.length + 1)
      tellings.push(Math.round((kassa.clock.now().getTime() - requestedMs) / 1_000))
  expect(kassa.clock.now().getTime() - requestedMs).toBeLessThan(15 * MINUTE_MS)
  expect((await getOperation(id))?.status).toBe('requires_operator_review')
  expect(new Set(ledger.writes.map(({ key }) => key))).toEqual(new Set([await writeKeyOf(kassa.ctx, id)]))
  expect(ledger.writes.length).toBeLessThanOrEqual(5)
  const pauses = tellings.map((second, index) => second - (tellings[index - 1] ?? 0))
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other))
})

test('a request that certainly never left does not count as sent', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  ledger.bends = ['drop']
  const id = await refund()
  const { route_a: route } = kassa.ctx.routes
  const never = Object.assign(new Error('the breaker is open'), { onlyRead: true })
  const driver = { ...route.driver, refund: async () => Promise.reject(never) } as typeof route.driver
  kassa.ctx.routes.route_a = { ...route, driver }
  for (let runs = 0; runs < 8; runs++) {
    kassa.clock.advance(MINUTE_MS)
    await runOperations()
  }
  kassa.ctx.routes.route_a = route
  kassa.clock.advance(MINUTE_MS)
  await runOperations()
  expect([(await getOperation(id))?.status, ledger.writes.length]).toEqual(['succeeded', 2])
})

test('a write that certainly never left is sent later as if for the first time, also without a key', async () => {
  const ledger = openLedger(kassa.ctx)
  const { route_a: route } = kassa.ctx.routes
  const never = Object.assign(new Error('the breaker is open'), { onlyRead: true })
  expect(wasNothingSent(never)).toBe(true)
  const driver = { ...route.driver, refund: async () => Promise.reject(never) } as typeof route.driver
  kassa.ctx.routes.route_a = { ...route, driver }
  const id = await refund()
  expect(await getOperation(id)).toMatchObject({ status: 'processing', sentAt: null })
  kassa.ctx.routes.route_a = route
  kassa.clock.advance(HOUR_MS)
  await runOperations()
  expect((await getOperation(id))?.status).toBe('succeeded')
  expect(ledger.writes).toHaveLength(1)
})

test('a lost refund is not sent again once the payment is disputed, and a person reads why', async () => {
  const ledger = openLedger(kassa.ctx, { keyed: true })
  ledger.bends = ['drop']
  const { route_a: route } = kassa.ctx.routes
  let obstacle: string | null = null
  const driver = { ...route.driver, eligible: () => obstacle } as typeof route.driver
  kassa.ctx.routes.route_a = { ...route, driver }
  const id = await refund()
  obstacle = 'the payment is disputed at the bank'
  for (let minutes = 0; minutes < 12; minutes++) {
    kassa.clock.advance(MINUTE_MS)
    await runOperations()
  }
  expect(ledger.writes).toHaveLength(1)
  expect(await getOperation(id)).toMatchObject({
    status: 'requires_operator_review',
    statusReason: expect.stringContaining('not sent again, because the payment is disputed'),
  })
})

test('a write that the driver knows to be refused is not sent, and its reason is told', async () => {
  const ledger = openLedger(kassa.ctx)
  // The bank counts the hours of its writes from the opening of the order.
  const eligible: NonNullable<Driver['eligible']> = ({ now }, write, { begunAt, reference, snapshot }) => {
    expect([write, snapshot.reference]).toEqual(['refund', reference])
    return now().getTime() - begunAt.getTime() < HOUR_MS ? 'the bank has not settled the payment' : null
  }
  changeDriver(kassa.ctx, 'route_a', { eligible })
  const id = await refund()
  expect(await getOperation(id)).toMatchObject({
    status: 'failed',
    statusReason: 'the bank has not settled the payment; nothing was done',
  })
  expect(ledger.writes).toHaveLength(0)
})
