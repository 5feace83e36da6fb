import { spawnCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { testTwoProcesses } from './two-processes.suite.ts'

testTwoProcesses(spawnCrashingKassa, { rounds: 20, noKeyRounds: 5 })
