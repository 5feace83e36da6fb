import { testReference } from './pages.suite.ts'

/** One that asks and one that creates. `npm run test:long` runs the examples of all operations, in the other languages too. */
const EXAMPLES = ['getCapabilities', 'createPaymentSession']

testReference(['node'], (operation) => EXAMPLES.includes(operation))
