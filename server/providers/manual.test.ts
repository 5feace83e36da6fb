/** The manual driver passes the conformance suite: nobody is asked, and nobody reports anything. */
import type { DriverSimulator } from '../testing/providers/driver-bench.ts'
import { LEFT_OUT } from '../testing/providers/rows-left-out.ts'
import { describeDriver } from './driver.suite.ts'
import { manualDriver } from './manual.ts'

async function neither(): Promise<never> {
  throw new Error('nobody is behind the manual driver')
}

const start = async (): Promise<DriverSimulator<Record<string, unknown>>> => ({
  origin: 'http://127.0.0.1:9',
  settings: () => ({}),
  now: () => new Date(),
  advance: async () => {},
  buyer: neither,
  saver: neither,
  books: neither,
  forget: neither,
  charges: neither,
  writes: [],
  callbacks: async () => [],
  causeFault: () => null,
  laterMs: 0,
  close: async () => {},
})

describeDriver('manual', {
  driver: manualDriver,
  start,
  without: LEFT_OUT.manual,
})
