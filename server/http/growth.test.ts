import { testGrowth } from './growth.suite.ts'

/** The long version: npm run test:long. */
testGrowth({ partsOfHeader: 1, everyPart: 3 })
