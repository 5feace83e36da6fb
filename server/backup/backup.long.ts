import { testBackups } from './backup.suite.ts'

testBackups(5)
