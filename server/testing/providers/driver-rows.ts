/**
 * The rows of the conformance suite about poor answers, lost helpers, refusals and proofs. Each says what it needs of a
 * protocol. A driver without that says why in its bench.
 */
import { expect } from 'vitest'
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import type { LookUpAnswer, ProviderCall, ProviderOrder } from '../../providers/driver.ts'
import { answerRows } from './driver-answers.ts'
import type { DriverBench, Lacking, RefusedCall } from './driver-bench.ts'
import { proofRows } from './driver-proofs.ts'
import { refusalRows } from './driver-refusals.ts'
import type { Scenes } from './driver-scenes.ts'
import { expectNoCrash, withoutEachField } from './poorer-answers.ts'

export type Row<Settings> = {
  group: 'pages' | 'poor answers' | 'refusals' | 'not taken' | 'proofs and lost addresses'
  name: string
  /** What it needs. A driver that lacks it gives a reason under this name. */
  needs?: Lacking
  /** The member that the row calls. */
  member?: RefusedCall
  run(scenes: Scenes<Settings>): Promise<void>
}

export function rowCases<Settings>(): Row<Settings>[] {
  return [
    {
      group: 'poor answers',
      name: 'every field of an answer may be absent',
      needs: 'look_up',
      run: poorAnswers,
    },
    {
      group: 'poor answers',
      name: 'side calls that never answer',
      needs: 'side_calls',
      run: silentSideCalls,
    },
    {
      group: 'pages',
      name: 'the page of an order is in the buyer’s language, and any language opens one',
      needs: 'language',
      run: buyersLanguage,
    },
    { group: 'poor answers', name: 'no callback ever arrives', needs: 'look_up', run: noCallbacks },
    {
      group: 'poor answers',
      name: 'money that is under way',
      needs: 'under_way',
      run: (scenes) => underWay(scenes),
    },
    {
      group: 'poor answers',
      name: 'the buyer has finished here, the provider waits for the buyer elsewhere',
      needs: 'waits_elsewhere',
      run: waitsElsewhere,
    },
    ...refusalRows<Settings>(),
    ...answerRows<Settings>(),
    ...proofRows<Settings>(),
  ]
}

/** What a driver lacks by its members alone. */
export function lacksMember<Settings>({ driver }: DriverBench<Settings>, needs: Lacking): boolean {
  if (needs === 'callbacks') return driver.inbound === undefined
  if (needs === 'proof') return driver.inbound === undefined || driver.lookUp !== undefined
  if (needs === 'lost_address') return driver.startCheckout === undefined
  return needs === 'look_up' && driver.lookUp === undefined
}

type Look<Settings> = (call: ProviderCall<Settings>) => Promise<LookUpAnswer>

function lookOf<Settings>({ driver }: Scenes<Settings>, order: ProviderOrder): Look<Settings> {
  return async (call) => {
    if (!driver.lookUp) throw new Error('the driver cannot be asked')
    return driver.lookUp(call, order)
  }
}

async function buyersLanguage<Settings>({ attempt, open, simulator }: Scenes<Settings>): Promise<void> {
  const opened = async (language: Language | null) => {
    const given = attempt({ language })
    const checkout = await open(given)
    return simulator.language?.(given.reference, checkout)
  }
  expect(await opened('ru')).toMatch(/^ru\b/i)
  for (const language of [...(Object.keys(LANGUAGES) as Language[]), null]) await opened(language)
}

/** A poorer answer may be no answer, or say less. It never says more money than there is. */
async function poorAnswers<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const order = await scenes.paid()
  const look = lookOf(scenes, order)
  const { whole, poorer } = await scenes.call((call) => withoutEachField(call, look))
  if (whole.kind !== 'found') throw new Error(`the order is ${whole.kind}`)
  expect(poorer.length).toBeGreaterThan(5)
  for (const { field, lack, result } of poorer) {
    if (result instanceof Error) {
      expectNoCrash(result)
      continue
    }
    const where = `${field} is ${lack}`
    expect(result.kind, where).not.toMatch(/^(not_found|unpaid)$/)
    if (result.kind !== 'found') continue
    const { snapshot } = result
    for (const sum of ['amountMinor', 'authorizedMinor', 'capturedMinor', 'refundedMinor'] as const)
      expect(Number.isSafeInteger(snapshot[sum]), `${where}: ${sum}`).toBe(true)
    expect(snapshot.capturedMinor, where).toBeLessThanOrEqual(whole.snapshot.capturedMinor)
    expect(snapshot.refundedMinor, where).toBe(0)
  }
}

/** The order's money is still reported, and the snapshot says what is not known. */
async function silentSideCalls<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const order = await scenes.paid()
  const look = lookOf(scenes, order)
  let left = 0
  const found = await scenes.call((call) => {
    const request: typeof call.http.request = (given) => {
      if (!given.isOptional) return call.http.request(given)
      left++
      return Promise.reject(new Error('no answer in time'))
    }
    return look({ ...call, http: { ...call.http, request } })
  })
  expect(left).toBeGreaterThan(0)
  const { capturedMinor } = order.before
  expect(found).toMatchObject({ kind: 'found', snapshot: { capturedMinor, disputesUnknown: 'away' } })
}

/** What the driver returned when the order was opened is enough to find out what the buyer did. */
async function noCallbacks<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { attempt, open, simulator, driver } = scenes
  const given = attempt()
  const opened = await open(given)
  await simulator.buyer(opened, driver.finalize ? 'approve' : 'pay')
  const order = { reference: given.reference, state: opened.state ?? null }
  const { order: standing, capturedMinor } = await scenes.look(order)
  const paid = driver.finalize ? ['approved', 0] : ['completed', given.amountMinor]
  expect([standing, capturedMinor]).toEqual(paid)
}

/** The buyer has finished, and the provider has not: the driver says so, and reports no money before there is some. */
async function underWay<Settings>(
  scenes: Scenes<Settings>,
  fault: 'late_paid' | 'waits_elsewhere' = 'late_paid',
): Promise<void> {
  const { simulator, look } = scenes
  const { attempt, before, ...order } = await scenes.paid({}, simulator.causeFault(fault) ?? {})
  expect(before).toMatchObject({ capturedMinor: 0, order: 'reached', isUnderWay: true })
  await simulator.advance(simulator.laterMs)
  const after = await look(order)
  expect([after.capturedMinor, after.isUnderWay]).toEqual([attempt.amountMinor, undefined])
}

/** The buyer pays a voucher, sends a transfer or confirms small deposits: the provider's page is over, and the money is not there. */
async function waitsElsewhere<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { attempt, open, simulator, driver, call } = scenes
  // A simulator without this fault has nothing to show.
  if (!simulator.causeFault('waits_elsewhere')) return
  await underWay(scenes, 'waits_elsewhere')
  const given = attempt(simulator.causeFault('waits_elsewhere') ?? {})
  const opened = await open(given)
  await simulator.buyer(opened, 'pay')
  const order = { reference: given.reference, state: opened.state ?? null }
  const found = await call(async (each) => driver.lookUp?.(each, order))
  // Nobody is led back into a page that is over.
  expect(found).toMatchObject({ kind: 'found', snapshot: { isUnderWay: true } })
  expect(found).not.toHaveProperty('opened')
}
