import { serveHere } from '../../testing/serve-here.ts'
import { testRaces } from './refund-race.suite.ts'

/** `npm run test:long` runs more, and each service in a process of its own. */
testRaces(serveHere, { rounds: 1, mixedRounds: 1, atOnce: 24 })
