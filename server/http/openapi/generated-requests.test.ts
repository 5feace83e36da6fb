import { testGeneratedRequests } from './generated-requests.suite.ts'

/** `npm run test:long` makes more. */
testGeneratedRequests({ runs: 25, seed: 7 })
