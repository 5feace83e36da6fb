import { testStorms } from './two-processes.suite.ts'

testStorms({ rounds: 20, noKeyRounds: 5 })
