import { testStorms } from './two-processes.suite.ts'

/** The long version: npm run test:long. */
testStorms({ rounds: 2, noKeyRounds: 1 })
