/** The manual driver passes the conformance suite: nobody is asked, and nobody reports anything. */
import type { DriverSimulator } from '../testing/providers/driver-bench.ts'
import { describeDriver } from './driver.suite.ts'
import { manualDriver } from './manual.ts'

const NOBODY = 'No provider is behind a payment that the operator confirms.'
async function neither(): Promise<never> {
  throw new Error(NOBODY)
}

const start = async (): Promise<DriverSimulator<Record<string, unknown>>> => ({
  origin: 'http://127.0.0.1:9',
  settings: () => ({}),
  now: () => new Date(),
  advance: async () => {},
  buyer: neither,
  saver: neither,
  books: neither,
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
  without: {
    look_up: NOBODY,
    callbacks: NOBODY,
    side_calls: NOBODY,
    under_way: NOBODY,
    proof: NOBODY,
    lost_address: NOBODY,
    refused_account: NOBODY,
    refused_amount: NOBODY,
    refused_rights: NOBODY,
    several_results: NOBODY,
  },
})
