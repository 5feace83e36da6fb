import { testUnderWay } from './under-way.suite.ts'

testUnderWay({ hoursAtOnce: 6 })
