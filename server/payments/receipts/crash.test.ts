import { samplePoints } from '../../testing/mortal-db.ts'
import { PRINT_WRITES, testPrinting } from './crash.suite.ts'

/** `npm run test:long` tries every statement. */
testPrinting((statements) => samplePoints(statements, PRINT_WRITES))
