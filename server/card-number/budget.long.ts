import { freshSeed } from '../testing/random.ts'
import { testBudget } from './budget.suite.ts'

testBudget({ count: 20_000, seed: freshSeed() })
