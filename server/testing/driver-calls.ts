/** The rows of the conformance suite that call a driver's methods, each with every network fault. */
import { expect } from 'vitest'
import type { Driver, MoneyWrite, WriteName, WriteResult } from '../providers/driver.ts'
import { wasNothingSent } from '../providers/http.ts'
import type { PaidOrder, Scenes, SuiteFault } from './driver-bench.ts'

export type CallCase<Settings> = {
  name: string
  member: keyof Driver
  run(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void>
}

/** Faults with which the request does not reach the provider. */
const UNHEARD: readonly SuiteFault[] = ['not_reached', 'away', 'wrong_credentials']
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

/** The result of a call, or the error that it threw. */
type Outcome<Answer> = { answer: Answer } | { error: unknown }

async function attemptUnder<Settings, Answer>(
  { proxy, call, variantOf }: Scenes<Settings>,
  fault: SuiteFault,
  act: Parameters<typeof call<Answer>>[0],
  {
    steps = 'one',
    isMeant,
  }: { steps?: 'one' | 'two'; isMeant?: ((method: string, path: string) => boolean) | undefined } = {},
): Promise<Outcome<Answer>> {
  if (fault !== 'none' && fault !== 'away' && fault !== 'wrong_credentials') proxy.spoilNext(fault, isMeant)
  try {
    return { answer: await call(act, { ...variantOf(fault), steps }) }
  } catch (error) {
    return { error }
  }
}

/** A failed look-up must never be reported as a missing order. */
function expectNoAnswer(outcome: Outcome<{ kind: string } | undefined>): void {
  if ('answer' in outcome) expect(outcome.answer?.kind).toBe('unavailable')
}

/** The driver must report neither a success nor a failure if the provider may have acted. */
function expectUnclear(outcome: Outcome<{ kind: string } | undefined>, fault: SuiteFault): void {
  if (fault === 'away' && 'error' in outcome) expect(wasNothingSent(outcome.error)).toBe(true)
  if ('error' in outcome) {
    if (!UNHEARD.includes(fault)) expect(wasNothingSent(outcome.error)).toBe(false)
    return
  }
  expect(UNHEARD.includes(fault) ? ['unknown', 'refused'] : ['unknown']).toContain(outcome.answer?.kind)
}

async function composes<Settings>({ open, attempt }: Scenes<Settings>): Promise<void> {
  const given = attempt()
  expect(await open(given)).toEqual(await open(given))
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
  if (found?.kind === 'found' && !driver.keyedStart) return
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
        status: 'paid',
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
  const outcome = await attemptUnder<Settings, WriteResult | undefined>(scenes, fault, send, { steps })
  if (fault === 'none')
    expect(outcome).toMatchObject({ answer: { kind: expect.stringMatching(/done|pending/) } })
  else expectUnclear(outcome, fault)
  const isDone = !UNHEARD.includes(fault)
  await expectMoved(scenes, order, name, isDone)
  expect(await look(order, { steps })).toMatchObject(isDone ? AFTER[name] : { status: order.before.status })
  if (driver.keyLifetimeMs === undefined) return
  // The provider remembers the key, so the repeated write is carried out only once.
  await call(send, { steps })
  await expectMoved(scenes, order, name, true)
}

const AFTER = {
  refund: { refundedMinor: PART_MINOR },
  capture: { capturedMinor: PART_MINOR },
  void: { status: 'reversed' },
}

function writeOf({ reference, state, before, attempt }: PaidOrder, amountMinor: number): MoneyWrite {
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
  expect((await look(order)).needsFinalize).toBe(true)
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
  // Repeating it does no harm, and afterwards nobody can pay.
  expect(await call(async (each) => driver.withdraw?.(each, order))).toMatchObject({ kind: 'done' })
  await simulator.buyer(opened, 'pay').catch(() => {})
  expect(await look(order)).toMatchObject({ capturedMinor: 0, authorizedMinor: 0 })
}

async function saves<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, call } = scenes
  const given = attempt()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.saveToken?.(each, given))
  if (fault !== 'none') expectUnclear(outcome, fault)
  expect(await call(async (each) => driver.saveToken?.(each, given))).toMatchObject({ kind: 'redirect' })
}

async function looksUpToken<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const token = await scenes.savedMethod()
  const look = async (each: Parameters<Parameters<typeof scenes.call>[0]>[0]) =>
    scenes.driver.lookUpToken?.(each, token)
  const outcome = await attemptUnder(scenes, fault, look)
  if (fault !== 'none') return expectNoAnswer(outcome)
  const card = scenes.bench.without?.includes('saved_card') ? {} : { card: expect.anything() }
  expect(outcome).toMatchObject({ answer: { kind: 'found', status: 'active', ...card } })
}

async function charges<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, savedMethod, simulator, look } = scenes
  const token = await savedMethod()
  const charge = { ...attempt(), token }
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.chargeToken?.(each, charge), {
    isMeant: simulator.takesMoney,
  })
  if (fault === 'none') expect(outcome).toMatchObject({ answer: { kind: 'done' } })
  else expectUnclear(outcome, fault)
  const isDone = !UNHEARD.includes(fault)
  expect(await simulator.charges(token)).toBe(isDone ? 1 : 0)
  // A charge is looked up like any order, by its own reference and the state that its answer brought.
  const order = { reference: charge.reference, state: stateOf(outcome) }
  const isFindable = order.state !== null || !scenes.bench.without?.includes('not_found')
  if (isDone && isFindable)
    return expect(await look(order)).toMatchObject({ status: 'paid', capturedMinor: charge.amountMinor })
  const found = await scenes.call(async (each) => driver.lookUp?.(each, order))
  // A charge of several requests may leave an order that nobody has paid.
  if (simulator.takesMoney && found?.kind === 'found')
    expect(found.snapshot).toMatchObject({ capturedMinor: 0, authorizedMinor: 0 })
  else expect(found?.kind).toBe(scenes.bench.without?.includes('not_found') ? 'unavailable' : 'not_found')
}

/** The state that the core would store; null when no answer came. */
function stateOf(outcome: object): unknown {
  const { answer } = outcome as { answer?: { state?: unknown } }
  return answer?.state ?? null
}

async function revokes<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, savedMethod, call, attempt, simulator } = scenes
  const token = await savedMethod()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.revokeToken?.(each, token))
  if (fault !== 'none' && scenes.proxy.hasSpoiled()) expectUnclear(outcome, fault)
  // Done again, it does no harm, and nothing can be charged any more.
  expect(await call(async (each) => driver.revokeToken?.(each, token))).toMatchObject({ kind: 'done' })
  const found = await call(async (each) => driver.lookUpToken?.(each, token))
  expect(found?.kind === 'found' ? found.status : 'revoked').toBe('revoked')
  const charge = { ...attempt(), token }
  expect(await call(async (each) => driver.chargeToken?.(each, charge))).toMatchObject({ kind: 'refused' })
  expect(await simulator.charges(token)).toBe(0)
}

async function checks<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const outcome = await attemptUnder(scenes, fault, async (each) => scenes.driver.check?.(each))
  if ('error' in outcome) return expect(fault).not.toBe('none')
  expect(outcome.answer?.every(({ ok }) => ok)).toBe(fault === 'none')
}
