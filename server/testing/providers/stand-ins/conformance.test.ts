/** The stand-in drivers pass the conformance suite: a gateway with integers of a range, and a wallet that only proves payments. */
import { describeDriver } from '../../../providers/driver.suite.ts'
import { courierDriver } from './courier.ts'
import { startCourierBench } from './courier-bench.ts'
import { gatewayDriver, poorGatewayDriver } from './gateway.ts'
import { startGatewayBench } from './gateway-bench.ts'
import { walletDriver } from './wallet.ts'
import { startWalletBench } from './wallet-server.ts'

const NOT_SIMULATED = 'The stand-in is kept small, and has no such fault.'
const faults = {
  wrong_amount: NOT_SIMULATED,
  wrong_currency: NOT_SIMULATED,
  late_paid: NOT_SIMULATED,
  underpaid: NOT_SIMULATED,
  expires_early: NOT_SIMULATED,
  disputed: NOT_SIMULATED,
  duplicate_callback: NOT_SIMULATED,
  reversed_callbacks: NOT_SIMULATED,
  under_way: NOT_SIMULATED,
  waits_elsewhere: NOT_SIMULATED,
}

for (const [name, driver] of Object.entries({ gateway: gatewayDriver, 'poor gateway': poorGatewayDriver }))
  describeDriver(name, {
    driver,
    start: startGatewayBench,
    without: {
      ...faults,
      side_calls: 'The gateway says everything about an order in one answer.',
      signed_callbacks: 'A notification is not signed, and the gateway is asked after it.',
      proof: 'The gateway can be asked, so no notification counts as a proof.',
    },
  })

describeDriver('wallet', {
  driver: walletDriver,
  start: startWalletBench,
  without: {
    ...faults,
    look_up: 'The wallet cannot be asked about anything.',
    side_calls: 'The wallet cannot be asked about anything.',
    not_found: 'The wallet cannot be asked about anything.',
    signed_callbacks: 'A pre-check is not signed. The rows of proofs change the checksum.',
    refused_account: 'A form is posted by the buyer, so the wallet refuses nothing to us.',
    refused_amount: 'A form is posted by the buyer, so the wallet refuses nothing to us.',
    refused_rights: 'A form is posted by the buyer, so the wallet refuses nothing to us.',
    lost_address: 'The form is composed without asking the wallet.',
    several_results: 'Each message of the wallet is about one bill.',
    language: 'The form of this wallet names no language.',
  },
})

describeDriver('courier', {
  driver: courierDriver,
  start: startCourierBench,
  without: {
    ...faults,
    refund_fails_later: NOT_SIMULATED,
    refund_fails_after_success: NOT_SIMULATED,
    refused_amount: NOT_SIMULATED,
    refused_rights: NOT_SIMULATED,
    side_calls: 'The bank says everything about an order in one answer.',
    proof: 'The bank can be asked, so no letter counts as a proof.',
    several_results: 'Each letter of the bank is about one order.',
    language: 'The page of this bank follows the browser.',
  },
})
