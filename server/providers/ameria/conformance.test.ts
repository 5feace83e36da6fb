/**
 * The Ameriabank driver passes the conformance suite against the simulated vPOS: with as few fields in each answer as a shop can do with,
 * and with all of them.
 */
import { RICH, settingsOf, startAmeriaBench } from '../../testing/providers/ameria/bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { describeMoney } from '../money.suite.ts'
import { describeRecordings } from '../recordings.suite.ts'
import { ameriaDriver } from './driver.ts'
import { ameriaProof } from './proof.ts'

const bench = {
  driver: ameriaDriver,
  start: () => startAmeriaBench(),
  without: LEFT_OUT.ameria,
  planted: ['PLANTED HOLDER', 'planted-tea', 'tea19541048'],
}
describeDriver('ameria', bench)
describeDriver('ameria with whole answers', { ...bench, start: () => startAmeriaBench(RICH) })
describeMoney('ameria', bench)
describeRecordings('ameria', {
  driver: ameriaDriver,
  proof: ameriaProof,
  settingsAt: (address, steps) => settingsOf(`${address}/VPOS/`, steps),
  fields: { sent: 'OrderID', read: 'DepositedAmount' },
  planted: bench.planted,
})
