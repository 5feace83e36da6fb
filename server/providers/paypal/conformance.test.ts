/**
 * The PayPal driver passes the conformance suite against the simulated PayPal, with the fewest fields in each answer. The long tests
 * repeat it with whole answers and no callbacks, and with a disputes service that always answers too late. In `npm test` the first is in
 * `no-webhook.test.ts`, the second in `slow-disputes.test.ts`.
 */
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { describeRecordings } from '../recordings.suite.ts'
import { paypalDriver } from './driver.ts'
import { paypalProof } from './proof.ts'
import { PaypalSettings } from './settings.ts'

const without = LEFT_OUT.paypal
const planted = ['A21AA-simulated', 'buyer-of-the-simulator', 'Planted', 'Buyername', 'QYR5Z8XDVJNXQ']

const bench = { driver: paypalDriver, start: () => startPaypalBench(), without, planted }
describeDriver('paypal', bench)
describeMoney('paypal', bench)

describeRecordings('paypal', {
  driver: paypalDriver,
  proof: paypalProof,
  settingsAt: (address, steps) =>
    PaypalSettings.parse({
      ENVIRONMENT: 'sandbox',
      CLIENT_ID: 'client-of-the-replay',
      CLIENT_SECRET: 'secret-of-the-replay',
      ADDRESS: address,
      STEPS: steps,
    }),
  fields: { sent: 'custom_id', read: 'captures' },
})
