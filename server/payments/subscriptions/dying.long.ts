import { expect, test } from 'vitest'
import { everyPoint } from '../../testing/mortal-db.ts'
import { dieWhileCharging } from './dying.suite.ts'

test.each(['comes', 'is lost'] as const)(
  'a worker that dies before any statement of a charge whose answer %s: one charge for the period in the bank’s books',
  async (answer) => {
    const points = await dieWhileCharging(answer, everyPoint)
    expect(points).toBeGreaterThan(40)
  },
  60_000,
)
