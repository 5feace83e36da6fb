/** The example of a capabilities response: one route of the six, and the real words of the platforms. */
import type { CapabilitiesResponse } from '../../contract/capability.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { CURRENCY_DIGITS } from '../../payments/capability.ts'
import { presentStatusMap } from '../../payments/status-map.ts'

const proofOfPayment = 'webhook_or_reconciliation_only'
const bounds = { smallestMinor: 1, largestMinor: 1_000_000_000_000 }
const on = { supported: true, enabled: true }
const off = {
  supported: true,
  enabled: false,
  reason: 'Not enabled for this route. See the setting ROUTE_A_OPERATIONS.',
}

export const EXAMPLE_CAPABILITIES: CapabilitiesResponse = {
  ok: true,
  mode: 'sandbox',
  defaultProvider: 'route_a',
  status: 'ready',
  generatedAt: '2026-03-01T09:30:00.000Z',
  merchant: { id: 'mer_01kca9m4v0p7f6g7h8j9kmnpqrst2v3w4x5y', name: 'Tea House' },
  callback: { kind: 'url', verified: true, lastAcceptedAt: '2026-03-01T09:12:00.000Z' },
  currencyDigits: CURRENCY_DIGITS,
  providers: [
    {
      id: 'route_a',
      label: 'Simulated bank',
      currencies: CURRENCY_CODES,
      amountBounds: Object.fromEntries(CURRENCY_CODES.map((currency) => [currency, bounds])),
      liveCapable: false,
      supportsAutoinit: true,
      readiness: { enabledForPaymentCreation: true, reason: 'Ready.', missingEnv: [] },
      capabilities: {
        payment_links: { ...on, proofOfPayment },
        qr_presentation: { ...on, proofOfPayment },
        refund: on,
        capture: off,
        void: off,
        tokenization: off,
        subscriptions: off,
        fiscalization: off,
        cancel: on,
      },
    },
  ],
  connectors: { statusSync: presentStatusMap() },
}
