/** The conformance suite with whole answers and no callbacks, and with a disputes service that always answers too late. */
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { OPTIONAL } from './disputes.ts'
import { paypalDriver } from './driver.ts'

const without = LEFT_OUT.paypal
const { inbound: _, ...unheard } = paypalDriver

describeDriver('paypal, whole answers and no callbacks', {
  driver: unheard,
  start: () => startPaypalBench(undefined, true),
  without: { ...without, callbacks: 'This variant shows what is known without callbacks.' },
})

describeDriver('paypal, late disputes', {
  driver: paypalDriver,
  start: () => startPaypalBench(),
  without: { ...without, disputed: 'Nobody can see a dispute while its service is late.' },
  late: { isMeant: (_method, path) => path.startsWith('/v1/customer/disputes'), limitMs: OPTIONAL.timeoutMs },
})
