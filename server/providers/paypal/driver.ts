/**
 * The PayPal driver: Orders v2, Payments v2 and Vault v3. The official library has its own HTTP client and fixed addresses, so
 * the driver makes its own requests.
 * Rule: a buyer's approval is not a payment. `finalize` takes the money, once for each approval.
 */
import type { Driver } from '../driver.ts'
import { inbound } from './callbacks.ts'
import { chargeMembers } from './charge.ts'
import { check } from './check.ts'
import { checkoutMembers } from './checkout.ts'
import { fetchToken } from './request.ts'
import { apiOf, PaypalSettings } from './settings.ts'
import { vaultMembers } from './vault.ts'
import { writeMembers } from './writes.ts'

/**
 * PayPal remembers requests about orders for 6 hours, and refunds, captures and voids for 45 days. The shortest time is used for all.
 */
const KEY_LIFETIME_MS = 6 * 3_600_000

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
  keyedStart: true,
  keyLifetimeMs: KEY_LIFETIME_MS,
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
