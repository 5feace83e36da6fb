import { expect, test } from 'vitest'
import { spawnCrashingKassa, startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { surviveCharging } from './crash.suite.ts'

/** `npm run test:long` kills real processes at every step. */
test('after a death at any step of charging, each period is charged exactly once', async () => {
  expect(await surviveCharging({ rounds: 1, seed: 5, start: startCrashingKassa })).toContain('11 kills')
})

test('after kill -9 of a process that is charging, each period is charged exactly once', async () => {
  const points = ['while charge']
  expect(await surviveCharging({ rounds: 1, seed: 5, start: spawnCrashingKassa, points })).toContain(
    '1 kills',
  )
})
