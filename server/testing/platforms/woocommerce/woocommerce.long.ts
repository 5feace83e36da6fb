/** The shared scenarios, on both of WooCommerce's pages of checkout. */
import { describe } from 'vitest'
import { runScenarios } from '../platforms.suite.ts'
import { CHECKOUTS } from './buyer.ts'
import { woocommerce } from './woocommerce.ts'

describe.each(CHECKOUTS)('the %s checkout of WooCommerce', (kind) => runScenarios(woocommerce(kind)))
