import { testFloods } from './rate-limit.suite.ts'

testFloods(10)
