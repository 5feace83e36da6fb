/** The conformance suite as ArCa has the gateway, with as few fields in each answer as the manual allows. */
import { startRbsBench } from '../../testing/providers/rbs/bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { rbsDriver } from './driver.ts'

const { inbound: _inbound, withdraw: _withdraw, ...atArca } = rbsDriver

describeDriver("rbs at ArCa's gateway", {
  driver: atArca,
  start: () => startRbsBench(),
  planted: ['PLANTED HOLDER', 'planted-tea', 'planted%2B'],
  without: {
    ...LEFT_OUT.rbs,
    callbacks: "ArCa's gateway sends no callbacks.",
    disputed: "ArCa's gateway shows no chargebacks.",
  },
})
