import { testRaces } from './refund-race.suite.ts'

testRaces({ rounds: 50, unlikeRounds: 10 })
