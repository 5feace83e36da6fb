import { test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { runModel } from './model.suite.ts'

/** A long run can be done in pieces: each piece has a number of histories, and a first seed behind that of the last piece. */
const { MODEL_RUNS = '3000', MODEL_SEED = String(freshSeed()), MODEL_LANES = '4' } = process.env

test(`in ${MODEL_RUNS} random histories of payments the amounts stay right`, async () => {
  await runModel({ runs: Number(MODEL_RUNS), seed: Number(MODEL_SEED), lanes: Number(MODEL_LANES) })
}, 7_200_000)
