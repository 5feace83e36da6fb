import { afterAll, beforeAll, test } from 'vitest'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { freshSeed } from '../../testing/random.ts'
import { runModel } from './model.suite.ts'

const RUNS = 3_000

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test(`in ${RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel(kassa, { runs: RUNS, seed: freshSeed() })
}, 3_600_000)
