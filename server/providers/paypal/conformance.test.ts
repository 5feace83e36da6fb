/** The PayPal driver passes the conformance suite against the simulated PayPal. */
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { paypalDriver } from './driver.ts'

describeDriver('paypal', {
  driver: paypalDriver,
  start: () => startPaypalBench(),
  // PayPal can be asked only by its own id, and a saved wallet has no card. PayPal does not report that an order expired. It
  // just no longer knows the order. A refund that is COMPLETED stays COMPLETED.
  without: ['not_found', 'saved_card', 'expires_early', 'refund_fails_after_success'],
})
