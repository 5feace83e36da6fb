/** The result of a driver's call during a network fault, and the results that are correct then. */
import { expect } from 'vitest'
import { refusalIn } from '../../accounts/refusal.ts'
import { wasNothingSent } from '../../providers/http.ts'
import type { SuiteFault } from './driver-bench.ts'
import type { Scenes } from './driver-scenes.ts'

/** Faults with which the request does not reach the provider. */
export const UNHEARD: readonly SuiteFault[] = ['not_reached', 'away', 'wrong_credentials']

/** The result of a call, or the error that it threw. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown }

export async function attemptUnder<Settings, Answer>(
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
export function expectNoAnswer(outcome: Outcome<{ kind: string } | undefined>): void {
  if ('answer' in outcome) expect(outcome.answer?.kind).toBe('unavailable')
}

/** The driver must report neither a success nor a failure if the provider may have acted. */
export function expectUnclear(outcome: Outcome<{ kind: string } | undefined>, fault: SuiteFault): void {
  if (fault === 'wrong_credentials') {
    const found = 'error' in outcome ? outcome.error : outcome.answer
    // The core tells the operator, and nobody waits for an outage to end.
    expect(refusalIn(found)?.refusal).toBe('credentials')
    return
  }
  if (fault === 'away' && 'error' in outcome) expect(wasNothingSent(outcome.error)).toBe(true)
  if ('error' in outcome) {
    if (!UNHEARD.includes(fault)) expect(wasNothingSent(outcome.error)).toBe(false)
    return
  }
  expect(UNHEARD.includes(fault) ? ['unknown', 'refused'] : ['unknown']).toContain(outcome.answer?.kind)
}
