/**
 * The PayPal driver passes the conformance suite against the simulated PayPal: with the fewest fields in each answer, with whole
 * answers and no callbacks, and with a disputes service that always answers too late.
 */
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { describeRecordings } from '../recordings.suite.ts'
import { OPTIONAL } from './disputes.ts'
import { paypalDriver } from './driver.ts'
import { paypalProof } from './proof.ts'
import { PaypalSettings } from './settings.ts'

const without = LEFT_OUT.paypal
const planted = ['A21AA-simulated', 'buyer-of-the-simulator', 'Planted', 'Buyername', 'QYR5Z8XDVJNXQ']

const bench = { driver: paypalDriver, start: () => startPaypalBench(), without, planted }
describeDriver('paypal', bench)
describeMoney('paypal', bench)

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

describeRecordings('paypal', {
  driver: paypalDriver,
  proof: paypalProof,
  settingsAt: (address, steps) =>
    PaypalSettings.parse({
      ...{ ENVIRONMENT: 'sandbox', CLIENT_ID: 'client-of-the-replay', CLIENT_SECRET: 'secret-of-the-replay' },
      ...{ ADDRESS: address, STEPS: steps },
    }),
  fields: { sent: 'custom_id', read: 'captures' },
})
