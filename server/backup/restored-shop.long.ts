import { testRestoredShop } from './restored-shop.suite.ts'

testRestoredShop({ known: 60, lost: 200, kills: 3 })
