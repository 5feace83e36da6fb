import { testUnderWay } from './under-way.suite.ts'

/** `npm run test:long` looks more often. */
testUnderWay({ hoursAtOnce: 24 })
