import { testBackups } from './backup.suite.ts'

/** `npm run test:long` kills each command more often. */
testBackups(1)
