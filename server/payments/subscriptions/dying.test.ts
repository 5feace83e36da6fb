import { expect, test } from 'vitest'
import { samplePoints } from '../../testing/mortal-db.ts'
import { CHARGE_WRITES, dieWhileCharging } from './dying.suite.ts'

/** The long version: npm run test:long. */
test.each(['comes', 'is lost'] as const)(
  'a worker that dies at any commit, or in between, of a charge whose answer %s: one charge for the period in the bank’s books',
  async (answer) => {
    const points = await dieWhileCharging(answer, (statements) => samplePoints(statements, CHARGE_WRITES))
    expect(points).toBeGreaterThan(12)
  },
  60_000,
)
