import { test } from 'vitest'
import { runModel } from './model.suite.ts'

/** `npm run test:long` runs more. */
const RUNS = Number(process.env.M_RUNS ?? 12)
const SEED = Number(process.env.M_SEED ?? 1)

test(`in ${RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel({ runs: RUNS, seed: SEED })
}, 900_000)
