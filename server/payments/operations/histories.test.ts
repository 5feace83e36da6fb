import { expect, test } from 'vitest'
import { searchHistories } from '../../testing/histories/run.ts'
import { freshSeed } from '../../testing/random.ts'

/** `npm run test:long -- histories` runs 3,000, and says how to repeat one. */
const SEED = 1

test('in a random history at Stripe, PayPal and a bank no rule is broken, and in a new one', async () => {
  // It prints the seeds.
  expect(await searchHistories({ seeds: [SEED, freshSeed()] })).toBeNull()
})
