import { afterAll, beforeAll, test } from 'vitest'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { liveThrough } from './model.suite.ts'

/** The long version: npm run test:long. */
const RUNS = 30
/** Its sequences hold every kind of step, every bend of the bank's answers, and processes that die. */
const SEED = 1

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test(`nothing breaks the books in ${RUNS} lives of payments`, async () => {
  await liveThrough(kassa, { runs: RUNS, seed: SEED })
}, 60_000)
