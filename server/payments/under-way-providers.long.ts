import { testUnderWayProviders } from './under-way-providers.suite.ts'

testUnderWayProviders({ hoursAtOnce: 6 })
