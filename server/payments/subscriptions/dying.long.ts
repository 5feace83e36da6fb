import { expect, test } from 'vitest'
import { everyPoint } from '../../testing/mortal-db.ts'
import { dieWhileCharging } from './dying.suite.ts'

test.each(['arrives', 'is lost'] as const)(
  'a worker dies before any of its statements, and the bank’s answer %s: the bank charges the period once',
  async (answer) => {
    const points = await dieWhileCharging(answer, everyPoint)
    expect(points).toBeGreaterThan(40)
  },
)
