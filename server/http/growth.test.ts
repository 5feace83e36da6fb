import { testGrowth } from './growth.suite.ts'

/** The long version: npm run test:long. */
testGrowth(1)
