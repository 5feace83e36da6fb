import { testCrowd, testOrder } from './deliveries-fairness.suite.ts'

/** The long version: npm run test:long. */
testCrowd({ bad: 3, good: 7, payments: 70, megabytes: 50 })
testOrder(40)
