/** The PayPal driver passes the conformance suite against the simulated PayPal. */
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { paypalDriver } from './driver.ts'

describeDriver('paypal', {
  driver: paypalDriver,
  start: startPaypalBench,
  // PayPal is asked by its own number only, and a saved wallet has no card. It does not say that an order expired, but knows it
  // no more. A refund that is COMPLETED stays so.
  without: ['not_found', 'saved_card', 'expires_early', 'refund_fails_after_success'],
})
