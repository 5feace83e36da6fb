import { testRows } from './rows.suite.ts'

testRows({ isWhole: true })
