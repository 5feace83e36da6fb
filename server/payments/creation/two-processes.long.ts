import { testTwoProcesses } from './two-processes.suite.ts'

testTwoProcesses({ rounds: 20, noKeyRounds: 5 })
