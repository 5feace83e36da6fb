import { serveHere } from '../../testing/serve-here.ts'
import { testMoves } from './move.suite.ts'

/** `npm run test:long` runs each service in a process of its own, and gives a move up at each place. */
testMoves(serveHere, ['the rows are compared'])
