/** The second half of the conformance suite, with processes that are killed by a signal. */

import { spawnKilledKassa } from '../testing/processes/crashing-kassa.ts'
import { startAmeriaBench } from '../testing/providers/ameria/bench.ts'
import { startPaypalBench } from '../testing/providers/paypal-bench.ts'
import { OTHER_BANK, startRbsBench } from '../testing/providers/rbs/bench.ts'
import { startSandboxBench } from '../testing/providers/sandbox-bench.ts'
import { startStripeBench } from '../testing/providers/stripe-bench.ts'
import { ameriaDriver } from './ameria/driver.ts'
import { describeMoney } from './money.suite.ts'
import { paypalDriver } from './paypal/driver.ts'
import { rbsDriver } from './rbs/driver.ts'
import { sandboxDriver } from './sandbox/driver.ts'
import { stripeDriver } from './stripe/driver.ts'

describeMoney('sandbox', { driver: sandboxDriver, start: startSandboxBench }, spawnKilledKassa)
describeMoney('stripe', { driver: stripeDriver, start: () => startStripeBench() }, spawnKilledKassa)
describeMoney('paypal', { driver: paypalDriver, start: () => startPaypalBench() }, spawnKilledKassa)
describeMoney('rbs', { driver: rbsDriver, start: () => startRbsBench(OTHER_BANK) }, spawnKilledKassa)
describeMoney('ameria', { driver: ameriaDriver, start: () => startAmeriaBench() }, spawnKilledKassa)
