import { testMove } from './move.suite.ts'

/** `npm run test:long` starts and kills at more moments. */
testMove({ moments: 1, kills: 1, pooled: 0 })
