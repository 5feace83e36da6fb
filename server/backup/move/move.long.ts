import { testMove } from './move.suite.ts'

testMove({ moments: 20, kills: 5, pooled: 5 })
