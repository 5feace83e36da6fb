/** The rows of the conformance suite that call a driver's methods, each with every network fault. */
import { expect } from 'vitest'
import type { Driver, MoneyWrite, WriteName, WriteResult } from '../../providers/driver.ts'
import type { SuiteFault } from './driver-bench.ts'
import { charges, looksUpToken, revokes, saves } from './driver-method-calls.ts'
import { attemptUnder, expectNoAnswer, expectUnclear, UNHEARD } from './driver-outcome.ts'
import type { PaidOrder, Scenes } from './driver-scenes.ts'

export type CallCase<Settings> = {
  name: string
  member: keyof Driver
  run(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void>
}

const PART_MINOR = 700

export function callCases<Settings>(): CallCase<Settings>[] {
  return [
    { name: 'composeCheckout', member: 'composeCheckout', run: composes },
    { name: 'startCheckout', member: 'startCheckout', run: starts },
    { name: 'lookUp', member: 'lookUp', run: looksUp },
    { name: 'refund', member: 'refund', run: (scenes, fault) => writes(scenes, fault, 'refund', 'one') },
    { name: 'capture', member: 'capture', run: (scenes, fault) => writes(scenes, fault, 'capture', 'two') },
    { name: 'void', member: 'void', run: (scenes, fault) => writes(scenes, fault, 'void', 'two') },
    { name: 'finalize', member: 'finalize', run: finalizes },
    { name: 'withdraw', member: 'withdraw', run: withdraws },
    { name: 'saveToken', member: 'saveToken', run: saves },
    { name: 'lookUpToken', member: 'lookUpToken', run: looksUpToken },
    { name: 'chargeToken', member: 'chargeToken', run: charges },
    { name: 'revokeToken', member: 'revokeToken', run: revokes },
    { name: 'check', member: 'check', run: checks },
  ]
}

/** The same attempt gives the same checkout: the provider's, or our own page. */
async function composes<Settings>({ call, driver, attempt }: Scenes<Settings>): Promise<void> {
  const given = attempt()
  const compose = () => call(async (each) => driver.composeCheckout?.(each, given))
  const composed = await compose()
  expect(composed?.kind).toMatch(/^(redirect|form|hosted)$/)
  expect(await compose()).toEqual(composed)
}

async function starts<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, call, look } = scenes
  const given = attempt()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.startCheckout?.(each, given))
  if (fault === 'none') {
    expect(outcome).toMatchObject({ answer: { kind: expect.stringMatching(/redirect|form/) } })
    return
  }
  expectUnclear(outcome, fault)
  // A start whose response was lost is retried by key, or after a look-up. There must be only one order.
  const found = await call(async (each) => driver.lookUp?.(each, { reference: given.reference, state: null }))
  const isThere = found?.kind === 'found' || found?.kind === 'unpaid'
  if (isThere && !scenes.isKeyed('start')) return
  const again = await call(async (each) => driver.startCheckout?.(each, given))
  expect(again?.kind).toMatch(/redirect|form/)
  if (again?.kind !== 'redirect' && again?.kind !== 'form') return
  const snapshot = await look({ reference: given.reference, state: again.state ?? null })
  expect(snapshot.amountMinor).toBe(given.amountMinor)
}

async function looksUp<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, paid } = scenes
  const order = await paid()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.lookUp?.(each, order))
  if (fault !== 'none') return expectNoAnswer(outcome)
  const { reference, amountMinor, currency } = order.attempt
  expect(outcome).toMatchObject({
    answer: {
      kind: 'found',
      snapshot: {
        order: 'completed',
        reference,
        amountMinor,
        currency,
        capturedMinor: amountMinor,
        refundedMinor: 0,
      },
    },
  })
}

let keys = 0
const newKey = () => `00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`

async function writes<Settings>(
  scenes: Scenes<Settings>,
  fault: SuiteFault,
  name: WriteName,
  steps: 'one' | 'two',
): Promise<void> {
  const { driver, paid, look, call } = scenes
  const order = await paid({ steps })
  const write = writeOf(order, name === 'void' ? order.attempt.amountMinor : PART_MINOR)
  const send = async (each: Parameters<Parameters<typeof call>[0]>[0]) => driver[name]?.(each, write)
  const { [name]: moneyPath } = scenes.simulator.moneyPaths ?? {}
  const isMeant = moneyPath && ((_method: string, path: string) => moneyPath.test(path))
  const outcome = await attemptUnder<Settings, WriteResult | undefined>(scenes, fault, send, {
    steps,
    isMeant,
  })
  if (fault === 'none')
    expect(outcome).toMatchObject({ answer: { kind: expect.stringMatching(/done|pending/) } })
  else expectUnclear(outcome, fault)
  const isDone = !UNHEARD.includes(fault)
  await expectMoved(scenes, order, name, isDone)
  const { order: standing, authorizedMinor, capturedMinor, refundedMinor } = order.before
  const before = { order: standing, authorizedMinor, capturedMinor, refundedMinor }
  expect(await look(order, { steps })).toMatchObject(isDone ? AFTER[name] : before)
  if (!scenes.isKeyed(name)) return
  // The provider remembers the key, so the repeated write is carried out only once.
  await call(send, { steps })
  await expectMoved(scenes, order, name, true)
}

const AFTER = {
  refund: { refundedMinor: PART_MINOR },
  capture: { capturedMinor: PART_MINOR },
  void: { order: 'voided' },
}

export function writeOf({ reference, state, before, attempt }: PaidOrder, amountMinor: number): MoneyWrite {
  return {
    reference,
    state,
    key: newKey(),
    amountMinor,
    currency: attempt.currency,
    reason: 'returned',
    before,
  }
}

async function expectMoved<Settings>(
  { simulator }: Scenes<Settings>,
  { reference, before }: PaidOrder,
  name: WriteName,
  isDone: boolean,
): Promise<void> {
  const { capturedMinor, refundedMinor, isReversed } = await simulator.books(reference)
  expect({ capturedMinor, refundedMinor, isReversed }).toEqual({
    capturedMinor: name === 'capture' && isDone ? PART_MINOR : before.capturedMinor,
    refundedMinor: name === 'refund' && isDone ? PART_MINOR : 0,
    isReversed: name === 'void' && isDone,
  })
}

async function finalizes<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, open, simulator, look } = scenes
  const given = attempt()
  const opened = await open(given)
  await simulator.buyer(opened, 'approve')
  const order = { reference: given.reference, state: opened.state ?? null }
  expect((await look(order)).order).toBe('approved')
  const key = newKey()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.finalize?.(each, order, key))
  if (fault === 'none') expect(outcome).toMatchObject({ answer: { kind: 'done' } })
  else expectUnclear(outcome, fault)
  await scenes.call(async (each) => driver.finalize?.(each, order, key)).catch(() => {})
  expect(await simulator.books(given.reference)).toMatchObject({ capturedMinor: given.amountMinor })
}

async function withdraws<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, open, simulator, look, call } = scenes
  const given = attempt()
  const opened = await open(given)
  await simulator.buyer(opened, 'approve').catch(() => {})
  const order = { reference: given.reference, state: opened.state ?? null }
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.withdraw?.(each, order))
  if (fault === 'none') expect(outcome).toMatchObject({ answer: { kind: 'done' } })
  else expectUnclear(outcome, fault)
  // A repetition does no harm, and afterwards nobody can pay.
  expect(await call(async (each) => driver.withdraw?.(each, order))).toMatchObject({ kind: 'done' })
  await simulator.buyer(opened, 'pay').catch(() => {})
  expect(await look(order)).toMatchObject({ capturedMinor: 0, authorizedMinor: 0 })
}

async function checks<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { callbackUrl } = scenes.attempt()
  const check = async (each: Parameters<NonNullable<typeof scenes.driver.check>>[0]) =>
    scenes.driver.check?.(each, { callbackUrl })
  const clean = await scenes.call(check)
  expect(clean?.filter(({ state }) => state === 'problem')).toEqual([])
  const outcome = await attemptUnder(scenes, fault, check)
  if ('error' in outcome) return expect(fault).not.toBe('none')
  if (fault === 'none') expect(outcome.answer).toEqual(clean)
  else expect(outcome.answer).not.toEqual(clean)
}
