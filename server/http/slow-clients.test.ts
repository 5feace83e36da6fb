import { testSlowClients } from './slow-clients.suite.ts'

/** The long version: npm run test:long. */
testSlowClients(10)
