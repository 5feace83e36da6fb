/** The manual driver: no provider at all. The merchant's operator sees the money arrive and confirms it by hand. */
import type { Driver } from './driver.ts'

export const manualDriver: Driver = {
  label: 'Confirmed by the merchant',
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: true,
  supportsAutoinit: false,
  composeCheckout() {
    return { kind: 'hosted' }
  },
}
