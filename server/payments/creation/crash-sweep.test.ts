import { expect, test } from 'vitest'
import { surviveKills } from './crash-sweep.suite.ts'

test('a kill at every step of a creation, and at random, makes no second order and leaves no key unanswered', async () => {
  expect(await surviveKills({ killsEach: 1, randomKills: 2, triesMax: 13, seed: 7 })).toContain(
    'after look-up',
  )
}, 60_000)
