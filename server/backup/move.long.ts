import { testMove } from './move.suite.ts'

testMove(5)
