import { testReference } from './pages.suite.ts'

/** `npm run test:long` runs the examples of the other languages too. */
testReference(['node'])
