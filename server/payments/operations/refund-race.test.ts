import { testRaces } from './refund-race.suite.ts'

/** The long version: npm run test:long. */
testRaces({ rounds: 4, unlikeRounds: 2 })
