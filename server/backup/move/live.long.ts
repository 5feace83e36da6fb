/** Moves with MODE=live: real payments at Stripe, beside payments in the sandbox. */
import { describe } from 'vitest'
import { liveDeployment } from '../../testing/moves/live.ts'
import { testCrashes } from './crash.suite.ts'
import { testMove } from './move.suite.ts'

testMove({ moments: 4, kills: 6, pooled: 2, deployment: liveDeployment })

describe('beside servers that crash', () => {
  testCrashes(
    [
      'rows are copied',
      'every write is refused and the last rows are brought over',
      'everything is brought over and the old database is about to be closed',
      'the old database is closed and the other one is not yet open',
    ],
    liveDeployment(),
  )
})
