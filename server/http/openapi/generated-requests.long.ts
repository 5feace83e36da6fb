import { testGeneratedRequests } from './generated-requests.suite.ts'

testGeneratedRequests({ runs: 150 })
