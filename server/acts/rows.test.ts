import { testRows } from './rows.suite.ts'

/** `npm run test:long` sends every request of every role. */
testRows({ isWhole: false })
