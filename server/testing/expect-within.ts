/** Expects that a change takes effect within a time, also on a slow machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

const ASK_EVERY_MS = 20

/** Repeats a call until it returns `expected`. A call that starts later than `withinMs` from now must return it. */
export async function expectWithin<Answer>(
  withinMs: number,
  ask: () => Promise<Answer>,
  expected: Answer,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const isLast = performance.now() > deadline
    const answer = await ask()
    if (isLast || isDeepStrictEqual(answer, expected)) return expect(answer).toEqual(expected)
    await sleep(ASK_EVERY_MS)
  }
}
