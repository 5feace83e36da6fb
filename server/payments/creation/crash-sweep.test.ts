import { expect, test } from 'vitest'
import { surviveKills } from './crash-sweep.suite.ts'

/** `npm run test:long` runs more. */
test('kills at every step of a creation, and at random times, create no second order and leave no key unfinished', async () => {
  expect(await surviveKills({ killsEach: 1, randomKills: 2, triesMax: 13, seed: 7 })).toContain(
    'after look-up',
  )
}, 60_000)
