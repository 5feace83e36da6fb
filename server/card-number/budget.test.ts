import { testBudget } from './budget.suite.ts'

/** The long version: npm run test:long. */
testBudget({ count: 2_000, seed: 1 })
