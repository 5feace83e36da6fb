import { testMove } from './move.suite.ts'

testMove({ moments: 20, kills: 6, pooled: 5 })
