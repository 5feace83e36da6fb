/** Payments over all drivers in random order, with random faults. `all-drivers.long.ts` makes ten thousand. */
import { expect, test } from 'vitest'
import { describeOutcomes, runFleet } from '../testing/providers/fleet/run.ts'

const PAYMENTS = 40
/** The same each time, so that a failure of this test is no surprise. The long test takes another one. */
const SEED = 20_261_129
/** So few payments may be refunded or held without exception. */
const WITH_MONEY = ['paid', 'authorized', 'partially_refunded', 'refunded']

test('every payment over any driver ends, and the books of the providers are ours', async () => {
  const outcomes = await runFleet({ payments: PAYMENTS, seed: SEED, minutesAtOnce: 20 })
  console.info(describeOutcomes(outcomes))
  for (const { name, faults, statuses } of outcomes) {
    expect([name, faults]).toEqual([name, []])
    expect([name, Object.keys(statuses).some((each) => WITH_MONEY.includes(each))]).toEqual([name, true])
  }
})
