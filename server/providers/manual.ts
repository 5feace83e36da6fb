/** The manual driver, for payments without a provider. The operator sees the money arrive and confirms it by hand. */
import { z } from 'zod'
import { CURRENCY_CODES } from '../contract/fields.ts'
import type { Driver } from './driver.ts'

export const manualDriver: Driver = {
  label: 'Confirmed by the merchant',
  currencies: CURRENCY_CODES,
  liveCapable: true,
  supportsAutoinit: false,
  settings: z.object({}),
  composeCheckout() {
    return { kind: 'hosted' }
  },
}
