import { testCrowd, testOrder } from './deliveries-fairness.suite.ts'

testCrowd({ bad: 3, good: 7, payments: 210, megabytes: 50 })
testCrowd({ bad: 30, good: 70, payments: 700, megabytes: 100 })
testOrder(200)
