import { testRestoredShop } from './restored-shop.suite.ts'

/** The long version: npm run test:long. */
testRestoredShop({ known: 9, lost: 6, kills: 0 })
