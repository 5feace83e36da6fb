import { testUnderWayRenewals } from './under-way.suite.ts'

/** `npm run test:long` looks more often. */
testUnderWayRenewals({ hoursAtOnce: 24 })
