import { testMove } from './move.suite.ts'

/** `npm run test:long` kills the command more often. */
testMove(1)
