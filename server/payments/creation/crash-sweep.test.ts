import { expect, test } from 'vitest'
import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { surviveKills } from './crash-sweep.suite.ts'

/** `npm run test:long` kills real processes. `crash.test.ts` and `attempt-races.test.ts` kill some of them too. */
test('deaths at every step of a creation, and at random times, create no second order and leave no key unfinished', async () => {
  const size = { killsEach: 1, keysEach: 4, randomKills: 1, triesMax: 30 }
  expect(await surviveKills({ ...size, seed: 7, start: startCrashingKassa })).toContain('after look-up')
})
