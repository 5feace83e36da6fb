import { testRoles } from './roles.suite.ts'

testRoles({ isWhole: true })
