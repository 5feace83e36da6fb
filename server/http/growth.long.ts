import { testGrowth } from './growth.suite.ts'

/** Each header gets each of the 17 parts at every endpoint and page. */
testGrowth({ everyTarget: 1, partsOfHeader: 17, everyHeader: 1, everyPart: 1, randomParts: 6 })
