import { test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { runModel } from './model.suite.ts'

/** `npm run test:long -- model` runs 3,000, and says how to repeat one. */
const RUNS = 2
const SEED = 1

test(`in ${RUNS} random histories of payments the amounts stay right, and in a new one`, async () => {
  await runModel({ runs: RUNS, seed: SEED, lanes: 2 })
  // It prints its seed.
  await runModel({ runs: 1, seed: freshSeed(), lanes: 1 })
}, 120_000)
