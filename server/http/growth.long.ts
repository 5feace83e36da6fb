import { testGrowth } from './growth.suite.ts'

/** Each header gets each of the 17 parts at every endpoint and page. */
testGrowth({ partsOfHeader: 17, everyPart: 1 })
