/** The shared scenarios, on both of WooCommerce's pages of checkout, and those of WooCommerce alone. */
import { describe } from 'vitest'
import { LATE_AUTHORIZED, VOID_AFTER_CAPTURE, VOID_WITHOUT_KASSA } from '../hard-cases.ts'
import { REFUNDS_AT_ONCE } from '../money-scenarios.ts'
import { runScenarios } from '../platforms.suite.ts'
import { CHANGED_AFTER_PAYING } from '../scenarios.ts'
import { CHECKOUTS } from './buyer.ts'
import { runOwnScenarios } from './own.suite.ts'
import { woocommerce } from './woocommerce.ts'

const found = woocommerce('classic').find()
// What is missing is said once.
if ('missing' in found) runScenarios(woocommerce('classic'))
else {
  describe.each(CHECKOUTS)('the %s checkout of WooCommerce', (kind) =>
    runScenarios(
      woocommerce(kind),
      CHANGED_AFTER_PAYING,
      REFUNDS_AT_ONCE,
      LATE_AUTHORIZED,
      VOID_AFTER_CAPTURE,
      VOID_WITHOUT_KASSA,
    ),
  )
  describe('WooCommerce alone', () => runOwnScenarios(found.folder))
}
