/** A change that must be felt within a time, on a machine that may be slow to answer. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

const ASK_EVERY_MS = 20

/** Asks until the answer is `expected`. A question that is asked later than `withinMs` from now must be answered so. */
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
