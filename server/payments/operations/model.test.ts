import { test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { runModel } from './model.suite.ts'

/** `npm run test:long -- model` runs 3,000, and says how to repeat one. */
const SEED = 1

test('in a random history of payments the amounts stay right, and in a new one', async () => {
  // It prints the seeds.
  await runModel({ seeds: [SEED, freshSeed()], lanes: 1 })
})
