import { testUnderWayProviders } from './under-way-providers.suite.ts'

/** `npm run test:long` looks more often. */
testUnderWayProviders({ hoursAtOnce: 24 })
