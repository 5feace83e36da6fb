import { testRoles } from './roles.suite.ts'

/** `npm run test:long` lets everybody try everything. */
testRoles({ isWhole: false })
