import { testMove } from './move.suite.ts'

/** One move, which is killed and repeated. `npm run test:long` starts and kills at more moments. */
testMove({ moments: 0, kills: 1, pooled: 0 })
