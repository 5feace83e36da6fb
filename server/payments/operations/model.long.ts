import { test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { runModel } from './model.suite.ts'

const RUNS = 3_000

test(`in ${RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel({ runs: RUNS, seed: freshSeed() })
}, 3_600_000)
