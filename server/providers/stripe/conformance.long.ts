/** The conformance suite with whole answers and no callbacks. */
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { startStripeBench } from '../../testing/providers/stripe-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { stripeDriver } from './driver.ts'

const { inbound: _, ...unheard } = stripeDriver

describeDriver('stripe, whole answers and no callbacks', {
  driver: unheard,
  start: () => startStripeBench(true),
  without: { ...LEFT_OUT.stripe, callbacks: 'This variant shows what is known without callbacks.' },
})
