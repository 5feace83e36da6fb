/** The rows of the conformance suite about look-ups: what a driver reports about an order in any state. */
import { expect } from 'vitest'
import type { CausedFault, DriverBench } from './driver-bench.ts'
import type { Scenes } from './driver-scenes.ts'

type SayCase<Settings> = {
  name: string
  isThere(bench: DriverBench<Settings>): boolean
  run(scenes: Scenes<Settings>): Promise<void>
}

export function sayCases<Settings>(): SayCase<Settings>[] {
  const canBeAsked = ({ driver }: DriverBench<Settings>) => driver.lookUp !== undefined
  const canCause = (what: CausedFault) => (bench: DriverBench<Settings>) =>
    canBeAsked(bench) && bench.without?.[what] === undefined
  return [
    {
      name: 'unknown order',
      isThere: (bench) => canBeAsked(bench) && bench.without?.not_found === undefined,
      run: unknown,
    },
    { name: 'declined', isThere: canBeAsked, run: declined },
    { name: 'cancelled by the buyer', isThere: canBeAsked, run: cancelled },
    { name: 'wrong amount', isThere: canCause('wrong_amount'), run: wrongAmount },
    { name: 'wrong currency', isThere: canCause('wrong_currency'), run: wrongCurrency },
    { name: 'late paid', isThere: canCause('late_paid'), run: latePaid },
    { name: 'underpaid', isThere: canCause('underpaid'), run: underpaid },
    { name: 'expired at the provider', isThere: canCause('expires_early'), run: expiredEarly },
    {
      name: 'two refunds and one too many',
      isThere: (bench) => canBeAsked(bench) && bench.driver.refund !== undefined,
      run: refunds,
    },
    {
      name: 'refund fails later',
      isThere: (bench) => canCause('refund_fails_later')(bench) && bench.driver.refund !== undefined,
      run: failedRefund,
    },
    {
      name: 'refund fails after it succeeded',
      isThere: (bench) => canCause('refund_fails_after_success')(bench) && bench.driver.refund !== undefined,
      run: undoneRefund,
    },
    { name: 'disputed', isThere: canCause('disputed'), run: disputed },
    {
      name: 'a saved method that declines',
      isThere: ({ driver }) => driver.chargeToken !== undefined,
      run: declinedCharge,
    },
    { name: 'no secret in the exchange log', isThere: canBeAsked, run: keepsSecrets },
  ]
}

async function unknown<Settings>({ call, driver }: Scenes<Settings>): Promise<void> {
  const order = { reference: 'suite-nobody', state: null }
  expect(await call(async (each) => driver.lookUp?.(each, order))).toEqual({ kind: 'not_found' })
}

async function orderAfter<Settings>(
  { attempt, open, simulator }: Scenes<Settings>,
  does: 'pay' | 'decline' | 'cancel',
  fault?: CausedFault,
) {
  const given = attempt(fault ? (simulator.causeFault(fault) ?? {}) : {})
  const opened = await open(given)
  await simulator.buyer(opened, does)
  return { given, order: { reference: given.reference, state: opened.state ?? null } }
}

async function declined<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order } = await orderAfter(scenes, 'decline')
  const snapshot = await scenes.look(order)
  expect(snapshot).toMatchObject({ capturedMinor: 0, authorizedMinor: 0 })
  expect(['declined', 'reached', 'approved']).toContain(snapshot.order)
}

async function cancelled<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order } = await orderAfter(scenes, 'cancel')
  expect(await scenes.look(order)).toMatchObject({ capturedMinor: 0, authorizedMinor: 0 })
}

/** The driver reports the provider's amounts unchanged, so that the core notices that they are not the agreed ones. */
async function wrongAmount<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order, given } = await orderAfter(scenes, 'pay', 'wrong_amount')
  expect((await scenes.look(order)).amountMinor).not.toBe(given.amountMinor)
}

async function wrongCurrency<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order, given } = await orderAfter(scenes, 'pay', 'wrong_currency')
  expect((await scenes.look(order)).currency).not.toBe(given.currency)
}

async function latePaid<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order, given } = await orderAfter(scenes, 'pay', 'late_paid')
  expect((await scenes.look(order)).capturedMinor).toBe(0)
  await scenes.simulator.advance(scenes.simulator.laterMs)
  expect(await scenes.look(order)).toMatchObject({ order: 'completed', capturedMinor: given.amountMinor })
}

/** The driver reports the agreed amount and the paid amount, so that the core notices that they differ. */
async function underpaid<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order, given } = await orderAfter(scenes, 'pay', 'underpaid')
  const { amountMinor, capturedMinor } = await scenes.look(order)
  expect([amountMinor, capturedMinor > 0, capturedMinor < given.amountMinor]).toEqual([
    given.amountMinor,
    true,
    true,
  ])
}

async function expiredEarly<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { attempt, open, simulator, look } = scenes
  const given = attempt(simulator.causeFault('expires_early') ?? {})
  const opened = await open(given)
  await simulator.buyer(opened, 'approve')
  await simulator.advance(simulator.laterMs)
  const order = { reference: given.reference, state: opened.state ?? null }
  expect(await look(order)).toMatchObject({ order: 'expired', capturedMinor: 0, authorizedMinor: 0 })
}

function refundOf<Settings>(scenes: Scenes<Settings>, order: Awaited<ReturnType<Scenes<Settings>['paid']>>) {
  return (amountMinor: number, key: string) =>
    scenes.call(async (each) =>
      scenes.driver.refund?.(each, {
        ...order,
        key,
        amountMinor,
        currency: order.attempt.currency,
        reason: null,
      }),
    )
}

async function refunds<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const order = await scenes.paid()
  const refund = refundOf(scenes, order)
  await refund(500, 'refund-1')
  await refund(600, 'refund-2')
  expect(await scenes.look(order)).toMatchObject({ refundedMinor: 1_100 })
  expect(await refund(order.attempt.amountMinor, 'refund-3')).toMatchObject({ kind: 'refused' })
  expect(await scenes.look(order)).toMatchObject({ refundedMinor: 1_100 })
}

async function failedRefund<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { simulator, paid, look } = scenes
  const order = await paid({}, simulator.causeFault('refund_fails_later') ?? {})
  const result = await refundOf(scenes, order)(500, 'refund-1')
  if (result?.kind === 'pending') expect(await look(order)).toMatchObject({ refundPendingMinor: 500 })
  await simulator.advance(simulator.laterMs)
  const { refundedMinor, refundPendingMinor = 0, capturedMinor } = await look(order)
  expect([refundedMinor, refundPendingMinor, capturedMinor]).toEqual([0, 0, order.attempt.amountMinor])
}

/** The refunded sum falls again. A driver that reports single refunds reports this one under our key. */
async function undoneRefund<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { simulator, paid, look } = scenes
  const order = await paid({}, simulator.causeFault('refund_fails_after_success') ?? {})
  await refundOf(scenes, order)(500, 'refund-1')
  const done = await look(order)
  expect(done).toMatchObject({ refundedMinor: 500 })
  if (done.refunds) expect(done.refunds).toMatchObject([{ key: 'refund-1', amountMinor: 500, state: 'done' }])
  await simulator.advance(simulator.laterMs)
  const undone = await look(order)
  expect(undone).toMatchObject({ refundedMinor: 0, capturedMinor: order.attempt.amountMinor })
  if (undone.refunds) expect(undone.refunds).toMatchObject([{ key: 'refund-1', state: 'failed' }])
}

async function disputed<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const order = await scenes.paid({}, scenes.simulator.causeFault('disputed') ?? {})
  await scenes.simulator.advance(scenes.simulator.laterMs)
  expect(await scenes.look(order)).toMatchObject({ dispute: { amountMinor: expect.any(Number) } })
}

async function declinedCharge<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { savedMethod, attempt, call, driver } = scenes
  const token = await savedMethod('save_and_decline')
  const charge = { ...attempt(), token }
  const result = await call(async (each) => driver.chargeToken?.(each, charge))
  expect(result).toMatchObject({ kind: 'refused', decline: expect.stringMatching(/soft|hard/) })
  const state = result && 'state' in result ? (result.state ?? null) : null
  const found = await call(async (each) => driver.lookUp?.(each, { reference: charge.reference, state }))
  // A provider may leave an unpaid order, or none.
  if (found?.kind === 'found') expect(found.snapshot).toMatchObject({ capturedMinor: 0 })
  else expect(found).toEqual({ kind: 'not_found' })
}

async function keepsSecrets<Settings>({ exchanges, bench, simulator }: Scenes<Settings>): Promise<void> {
  expect(exchanges.length).toBeGreaterThan(0)
  const settings = simulator.settings(simulator.origin, { credentials: 'right', steps: 'one' })
  const kept = JSON.stringify(exchanges)
  for (const name of bench.driver.secrets ?? [])
    expect(kept).not.toContain(String((settings as Record<string, unknown>)[name]))
}
