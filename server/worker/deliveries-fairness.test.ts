import { testOrder, testSilent } from './deliveries-fairness.suite.ts'

/** `npm run test:long` measures how long events wait beside bad endpoints. */
testSilent()
testOrder(10)
