import { expect, test } from 'vitest'
import { samplePoints } from '../../testing/mortal-db.ts'
import { CHARGE_WRITES, dieWhileCharging } from './dying.suite.ts'

/** `npm run test:long` runs more. */
test.each(['arrives', 'is lost'] as const)(
  'a worker dies around any commit or in between, and the bank’s answer %s: the bank charges the period once',
  async (answer) => {
    const points = await dieWhileCharging(answer, (statements) => {
      // Before the request it is the same, whatever becomes of the answer.
      const sent = answer === 'is lost' ? statements.indexOf('tell_subscription_charge') : 0
      return samplePoints(statements, CHARGE_WRITES).filter((point) => point >= sent)
    })
    expect(points).toBeGreaterThan(answer === 'is lost' ? 4 : 12)
  },
)
