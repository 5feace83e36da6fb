import { expect, test } from 'vitest'
import { spawnCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { freshSeed } from '../../testing/random.ts'
import { surviveCharging } from './crash.suite.ts'

test('after ten kills at every step of charging, each period is charged exactly once', async () => {
  const summary = await surviveCharging({ rounds: 10, seed: freshSeed(), start: spawnCrashingKassa })
  process.stdout.write(`${summary}\n`)
  expect(summary).toContain('110 kills')
})
