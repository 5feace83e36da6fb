import { expect, test } from 'vitest'
import { searchHistories } from '../../testing/histories/run.ts'

/** `npm run test:long` runs more. */
const RUNS = 6
const SEED = 1

test(`in ${RUNS} random histories at Stripe, PayPal and a bank no rule is broken`, async () => {
  expect(await searchHistories({ runs: RUNS, seed: SEED })).toBeNull()
}, 120_000)
