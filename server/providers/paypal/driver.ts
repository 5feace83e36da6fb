/**
 * The PayPal driver: Orders v2, Payments v2 and Vault v3. The official library has its own HTTP client and fixed addresses, so
 * the driver makes its own requests.
 * Rule: a buyer's approval is not a payment. `finalize` takes the money, once for each approval.
 */
import type { Driver, Keyed } from '../driver.ts'
import { inbound } from './callbacks.ts'
import { chargeMembers } from './charge.ts'
import { check } from './check.ts'
import { checkoutMembers } from './checkout.ts'
import { fetchToken } from './request.ts'
import { apiOf, PaypalSettings } from './settings.ts'
import { vaultMembers } from './vault.ts'
import { writeMembers } from './writes.ts'

const HOUR_MS = 3_600_000
/** PayPal remembers requests about orders for 6 hours, and those about captures and authorizations for 45 days. */
const ORDER_KEY_MS = 6 * HOUR_MS
const PAYMENT_KEY_MS = 45 * 24 * HOUR_MS
const KEYED: Keyed = {
  start: ORDER_KEY_MS,
  finalize: ORDER_KEY_MS,
  charge: ORDER_KEY_MS,
  refund: PAYMENT_KEY_MS,
  capture: PAYMENT_KEY_MS,
  void: PAYMENT_KEY_MS,
}

export const paypalDriver: Driver<PaypalSettings> = {
  label: 'PayPal',
  mark: 'wallet',
  // PayPal's list of currencies has no AMD. Its largest amount, 999999999999999.99, is more than a payment can have.
  currencies: ['USD', 'EUR'],
  liveCapable: true,
  supportsAutoinit: true,
  settings: PaypalSettings,
  identity: ['CLIENT_ID'],
  secrets: ['CLIENT_SECRET'],
  modeOf: ({ ENVIRONMENT }) => (ENVIRONMENT === 'live' ? 'live' : 'test'),
  addresses: (settings) => [apiOf(settings)],
  foundByStateOnly: true,
  keyed: () => KEYED,
  ...checkoutMembers,
  ...writeMembers,
  ...vaultMembers,
  ...chargeMembers,
  callbacksSetUp: ({ WEBHOOK_ID }) => WEBHOOK_ID !== undefined,
  inbound,
  check,
  // PayPal gives a token only for the secret of this client id.
  async identify(call) {
    await fetchToken(call)
    return call.settings.CLIENT_ID
  },
}
