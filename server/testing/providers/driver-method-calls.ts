/** The rows of the conformance suite about saved methods, each with every network fault. */
import { expect } from 'vitest'
import type { SuiteFault } from './driver-bench.ts'
import { attemptUnder, expectNoAnswer, expectUnclear, UNHEARD } from './driver-outcome.ts'
import type { Scenes } from './driver-scenes.ts'

export async function saves<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, call } = scenes
  const given = attempt()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.saveToken?.(each, given))
  if (fault !== 'none') expectUnclear(outcome, fault)
  expect(await call(async (each) => driver.saveToken?.(each, given))).toMatchObject({ kind: 'redirect' })
}

export async function looksUpToken<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const token = await scenes.savedMethod()
  const look = async (each: Parameters<Parameters<typeof scenes.call>[0]>[0]) =>
    scenes.driver.lookUpToken?.(each, token)
  const outcome = await attemptUnder(scenes, fault, look)
  if (fault !== 'none') return expectNoAnswer(outcome)
  const card = scenes.bench.without?.saved_card !== undefined ? {} : { card: expect.anything() }
  expect(outcome).toMatchObject({ answer: { kind: 'found', status: 'active', ...card } })
}

export async function charges<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, attempt, savedMethod, simulator, look } = scenes
  const token = await savedMethod()
  const charge = { ...attempt(), token }
  const send = async (each: Parameters<Parameters<typeof scenes.call>[0]>[0]) =>
    driver.chargeToken?.(each, charge)
  const { chargeToken: moneyPath } = simulator.moneyPaths ?? {}
  const isMeant = moneyPath && ((_method: string, path: string) => moneyPath.test(path))
  const outcome = await attemptUnder(scenes, fault, send, { isMeant })
  const kept = scenes.kept.state
  if (fault === 'none') expect(outcome).toMatchObject({ answer: { kind: 'done' } })
  else expectUnclear(outcome, fault)
  const isDone = !UNHEARD.includes(fault)
  expect(await simulator.charges(token)).toBe(isDone ? 1 : 0)
  // A charge is looked up like any order, by its own reference and the state that its response contained.
  const order = { reference: charge.reference, state: stateOf(outcome) ?? kept }
  const isFindable = order.state !== null || scenes.bench.without?.not_found === undefined
  const paid = { order: 'completed', capturedMinor: charge.amountMinor }
  if (isDone && isFindable) expect(await look(order)).toMatchObject(paid)
  else {
    const found = await scenes.call(async (each) => driver.lookUp?.(each, order))
    // Where an order is registered before it is charged, it may be there without money.
    if (moneyPath && found?.kind === 'found') expect(found.snapshot.authorizedMinor).toBe(0)
    else expect(found?.kind).toBe(scenes.bench.without?.not_found !== undefined ? 'unavailable' : 'not_found')
  }
  if (!scenes.isKeyed('charge')) return
  // The provider remembers the reference, so the repeated charge is carried out only once.
  const again = await scenes.call(send)
  expect([again?.kind, await simulator.charges(token)]).toEqual(['done', 1])
  expect(await look({ ...order, state: stateOf({ answer: again }) })).toMatchObject(paid)
}

/** The state that the core would store. It is null if there was no response. */
function stateOf(outcome: object): unknown {
  const { answer } = outcome as { answer?: { state?: unknown } }
  return answer?.state ?? null
}

export async function revokes<Settings>(scenes: Scenes<Settings>, fault: SuiteFault): Promise<void> {
  const { driver, savedMethod, call, attempt, simulator } = scenes
  const token = await savedMethod()
  const outcome = await attemptUnder(scenes, fault, async (each) => driver.revokeToken?.(each, token))
  if (fault !== 'none' && scenes.proxy.hasSpoiled()) expectUnclear(outcome, fault)
  // A repetition does no harm, and nothing can be charged any more.
  expect(await call(async (each) => driver.revokeToken?.(each, token))).toMatchObject({ kind: 'done' })
  const found = await call(async (each) => driver.lookUpToken?.(each, token))
  expect(found?.kind === 'found' ? found.status : 'revoked').toBe('revoked')
  const charge = { ...attempt(), token }
  expect(await call(async (each) => driver.chargeToken?.(each, charge))).toMatchObject({ kind: 'refused' })
  expect(await simulator.charges(token)).toBe(0)
}
