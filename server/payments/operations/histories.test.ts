import { expect, test } from 'vitest'
import { searchHistories } from '../../testing/histories/run.ts'
import { freshSeed } from '../../testing/random.ts'

/** `npm run test:long -- histories` runs 3,000, and says how to repeat one. */
const RUNS = 3
const SEED = 1

test(`in ${RUNS} random histories at Stripe, PayPal and a bank no rule is broken, and in a new one`, async () => {
  expect(await searchHistories({ runs: RUNS, seed: SEED })).toBeNull()
  // It prints its seed.
  expect(await searchHistories({ runs: 1, seed: freshSeed() })).toBeNull()
}, 120_000)
