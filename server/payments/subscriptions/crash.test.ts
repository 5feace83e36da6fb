import { expect, test } from 'vitest'
import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { surviveCharging } from './crash.suite.ts'

/** Around the request to the bank. `dying.test.ts` tries each commit, and `npm run test:long` kills real processes at every step. */
const points = ['after insert_subscription_charge', 'before charge', 'while charge', 'after charge']

test('after a death at any step of charging, each period is charged exactly once', async () => {
  const size = { rounds: 1, each: 3, seed: 5, points }
  expect(await surviveCharging({ ...size, start: startCrashingKassa })).toContain('4 kills')
})
