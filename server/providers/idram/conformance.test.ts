/** The driver of Idram passes the conformance suite against the simulated wallet, also where its texts are in another encoding. */
import { startIdramBench } from '../../testing/providers/idram/bench.ts'
import { LEFT_OUT } from '../../testing/providers/rows-left-out.ts'
import { describeDriver } from '../driver.suite.ts'
import { idramDriver } from './driver.ts'

const without = LEFT_OUT.idram
describeDriver('idram', { driver: idramDriver, start: () => startIdramBench(), without })
describeDriver('idram with plain amounts and other letters', {
  driver: idramDriver,
  start: () => startIdramBench({ amounts: 'plain', text: 'windows-1251' }),
  without,
})
