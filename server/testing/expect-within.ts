/** Expects that a change takes effect within a time, also on a slow machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** The first pause. Each is half as long again as the one before, so that waiting for something slow takes little CPU time. */
const FIRST_PAUSE_MS = 20
const PAUSE_MAX_MS = 200

/** Repeats a call until it returns `expected`. A call that starts later than `withinMs` from now must return it. */
export async function expectWithin<Answer>(
  withinMs: number,
  ask: () => Promise<Answer>,
  expected: Answer,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, PAUSE_MAX_MS)) {
    const isLast = performance.now() > deadline
    const answer = await ask()
    if (isLast || isDeepStrictEqual(answer, expected)) return expect(answer).toEqual(expected)
    await sleep(pauseMs)
  }
}
