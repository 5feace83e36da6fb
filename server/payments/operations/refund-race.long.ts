import { testRaces } from './refund-race.suite.ts'

testRaces({ rounds: 50, mixedRounds: 10 })
