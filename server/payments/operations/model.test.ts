import { test } from 'vitest'
import { runModel } from './model.suite.ts'

/** `npm run test:long` runs more. */
const RUNS = 2
const SEED = 1

test(`in ${RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel({ runs: RUNS, seed: SEED, lanes: 2 })
}, 120_000)
