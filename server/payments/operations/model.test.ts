import { afterAll, beforeAll, test } from 'vitest'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { runModel } from './model.suite.ts'

/** `npm run test:long` runs more. */
const RUNS = 30
/** This seed's sequences contain every kind of step, every fault of the bank, and processes that die. */
const SEED = 1

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test(`in ${RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel(kassa, { runs: RUNS, seed: SEED })
}, 60_000)
