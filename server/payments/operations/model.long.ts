import { afterAll, beforeAll, test } from 'vitest'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { freshSeed } from '../../testing/random.ts'
import { liveThrough } from './model.suite.ts'

const RUNS = 3_000

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test(`nothing breaks the books in ${RUNS} random lives of payments`, async () => {
  await liveThrough(kassa, { runs: RUNS, seed: freshSeed() })
}, 3_600_000)
