/**
 * The Stripe driver passes the conformance suite against the simulated Stripe, with null where Stripe may show null. The long tests
 * repeat it with whole answers and no callbacks.
 */
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { ACCOUNT, KEY, startStripeBench } from '../../testing/providers/stripe-bench.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { describeRecordings } from '../recordings.suite.ts'
import { stripeDriver } from './driver.ts'
import { stripeProof } from './proof.ts'
import { StripeSettings } from './settings.ts'

const without = LEFT_OUT.stripe
const bench = { driver: stripeDriver, start: () => startStripeBench(), without }
describeDriver('stripe', bench)
describeMoney('stripe', bench)

describeRecordings('stripe', {
  driver: stripeDriver,
  proof: stripeProof,
  settingsAt: (address, steps) =>
    StripeSettings.parse({ ACCOUNT, SECRET_KEY: KEY, STEPS: steps, API_BASE: address }),
  fields: { sent: 'client_reference_id', read: 'amount_received' },
})
