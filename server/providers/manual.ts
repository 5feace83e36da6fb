/** The manual driver, for payments without a provider. The operator sees the money arrive and confirms it by hand. */
import { z } from 'zod'
import type { Driver } from './driver.ts'

export const manualDriver: Driver = {
  label: 'Confirmed by the merchant',
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: true,
  supportsAutoinit: false,
  settings: z.object({}),
  composeCheckout() {
    return { kind: 'hosted' }
  },
}
