import { testSlowClients } from './slow-clients.suite.ts'

testSlowClients(100)
