import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { testTwoProcesses } from './two-processes.suite.ts'

/** `npm run test:long` runs more, and each service in a process of its own. */
testTwoProcesses(startCrashingKassa, { rounds: 1, noKeyRounds: 1, atOnce: 40 })
