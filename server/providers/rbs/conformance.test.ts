/**
 * The RBS driver passes the conformance suite against the simulated gateway: as another bank has it, with callbacks and an end of unpaid
 * orders, and as ArCa has it, with as few fields in each answer as the manual allows.
 */
import { OTHER_BANK, startRbsBench } from '../../testing/providers/rbs/bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { rbsDriver } from './driver.ts'

const without = LEFT_OUT.rbs
const planted = ['PLANTED HOLDER', 'planted-tea', 'planted%2B']
const bench = { driver: rbsDriver, start: () => startRbsBench(OTHER_BANK), without, planted }
describeDriver('rbs', bench)

const { inbound: _inbound, withdraw: _withdraw, ...atArca } = rbsDriver
const arca = {
  driver: atArca,
  start: () => startRbsBench(),
  planted,
  without: {
    ...without,
    callbacks: "ArCa's gateway sends no callbacks.",
    disputed: "ArCa's gateway shows no chargebacks.",
  },
}
describeDriver("rbs at ArCa's gateway", arca)

describeMoney('rbs', bench)
