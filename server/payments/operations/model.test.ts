import { afterAll, beforeAll, test } from 'vitest'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { liveThrough } from './model.suite.ts'

/** The long version: npm run test:long. */
const RUNS = 300

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test(`nothing breaks the books in ${RUNS} random lives of payments`, async () => {
  await liveThrough(kassa, { runs: RUNS, seed: Date.now() % 2 ** 31 })
}, 300_000)
