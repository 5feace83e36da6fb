import { testTwoProcesses } from './two-processes.suite.ts'

/** `npm run test:long` runs more. */
testTwoProcesses({ rounds: 2, noKeyRounds: 1 })
