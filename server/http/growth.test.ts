import { testGrowth } from './growth.suite.ts'

/** The long version: npm run test:long. */
testGrowth({ everyTarget: 5, partsOfHeader: 1, everyHeader: 3, everyPart: 6, randomParts: 3 })
