/** The sandbox driver passes the conformance suite against the simulated bank. */
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { startSandboxBench } from '../../testing/providers/sandbox-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { sandboxDriver } from './driver.ts'

const without = LEFT_OUT.sandbox
const bench = { driver: sandboxDriver, start: startSandboxBench, without }
describeDriver('sandbox', bench)
describeMoney('sandbox', bench)
