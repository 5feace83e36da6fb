import { expect, test } from 'vitest'
import { surviveCharging } from './crash.suite.ts'

/** The long version: npm run test:long. */
test('a kill at any step of charging charges no period twice, and loses none', async () => {
  expect(await surviveCharging({ rounds: 1, seed: 5 })).toContain('11 kills')
}, 60_000)
