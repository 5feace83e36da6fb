import { serveHere } from '../../testing/serve-here.ts'
import { testMoves } from './move.suite.ts'

/** `npm run test:long` runs each service and each killed move in a process of its own, and gives a move up at each place. */
testMoves(serveHere, {
  killed: ['rows are being copied'],
  givenUp: ['the rows are compared'],
  served: ['the old database is closed and the other one is not yet open'],
})
