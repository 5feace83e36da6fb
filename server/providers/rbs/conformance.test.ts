/**
 * The RBS driver passes the conformance suite against the simulated gateway as another bank has it: with callbacks and an end of unpaid
 * orders. The long tests repeat it as ArCa has it.
 */
import { OTHER_BANK, settingsOf, startRbsBench } from '../../testing/providers/rbs/bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { describeRecordings } from '../recordings.suite.ts'
import { rbsDriver } from './driver.ts'
import { rbsProof } from './proof.ts'

const without = LEFT_OUT.rbs
const planted = ['PLANTED HOLDER', 'planted-tea', 'planted%2B']
const bench = { driver: rbsDriver, start: () => startRbsBench(OTHER_BANK), without, planted }
describeDriver('rbs', bench)

describeMoney('rbs', bench)

describeRecordings('rbs', {
  driver: rbsDriver,
  proof: rbsProof,
  settingsAt: (address, steps) =>
    settingsOf({ shop: { kind: 'arca' } }, { address: `${address}/payment/rest/`, steps }),
  fields: { sent: 'orderNumber', read: 'depositedAmount' },
  planted,
})
