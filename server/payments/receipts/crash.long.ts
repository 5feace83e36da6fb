import { everyPoint } from '../../testing/mortal-db.ts'
import { testPrinting } from './crash.suite.ts'

testPrinting(everyPoint)
