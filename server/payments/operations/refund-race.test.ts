import { testRaces } from './refund-race.suite.ts'

/** `npm run test:long` runs more. */
testRaces({ rounds: 1, mixedRounds: 1 })
