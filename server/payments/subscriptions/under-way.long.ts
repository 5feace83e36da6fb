import { testUnderWayRenewals } from './under-way.suite.ts'

testUnderWayRenewals({ hoursAtOnce: 4 })
