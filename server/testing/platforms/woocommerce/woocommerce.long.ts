/** The shared scenarios, on both of WooCommerce's pages of checkout, and those of WooCommerce alone. */
import { describe } from 'vitest'
import { runScenarios } from '../platforms.suite.ts'
import { CHECKOUTS } from './buyer.ts'
import { runOwnScenarios } from './own.suite.ts'
import { woocommerce } from './woocommerce.ts'

const found = woocommerce('classic').find()
// What is missing is said once.
if ('missing' in found) runScenarios(woocommerce('classic'))
else {
  describe.each(CHECKOUTS)('the %s checkout of WooCommerce', (kind) => runScenarios(woocommerce(kind)))
  describe('WooCommerce alone', () => runOwnScenarios(found.folder))
}
