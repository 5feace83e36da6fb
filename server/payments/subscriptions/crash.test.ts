import { expect, test } from 'vitest'
import { surviveCharging } from './crash.suite.ts'

/** `npm run test:long` runs more. */
test('after a kill at any step of charging, each period is charged exactly once', async () => {
  expect(await surviveCharging({ rounds: 1, seed: 5 })).toContain('11 kills')
}, 60_000)
