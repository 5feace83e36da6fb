/** The PayPal driver passes the conformance suite against the simulated PayPal. */
import { startPaypalBench } from '../../testing/paypal-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { paypalDriver } from './driver.ts'

describeDriver('paypal', {
  driver: paypalDriver,
  start: startPaypalBench,
  // PayPal is asked by its own number only, and a saved wallet has no card.
  without: ['not_found', 'saved_card'],
})
