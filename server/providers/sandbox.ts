/** The sandbox driver: speaks to the simulated bank, which is a provider like any other. */
import { z } from 'zod'
import type { PaymentStatus } from '../contract/payment.ts'
import type { Driver } from './driver.ts'
import type { BankEntry } from './simulators/bank.ts'

export const SandboxSettings = z.object({
  /** `one`: paid at once. `two`: authorized first, then captured. */
  STEPS: z.enum(['one', 'two']).default('one'),
  /** What the route shows of the guarded operations: they work, are not enabled, or have no worker. */
  OPERATIONS: z.enum(['enabled', 'disabled', 'not_configured']).default('enabled'),
})

export const sandboxDriver: Driver = {
  label: 'Simulated bank',
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: false,
  supportsAutoinit: true,

  composeCheckout(call, attempt) {
    const { reference, merchantName, amountMinor, currency, returnUrl } = attempt
    const twoStep = call.settings.STEPS === 'two'
    const url = call.bank.orderUrl({ reference, merchantName, amountMinor, currency, returnUrl, twoStep })
    return { kind: 'redirect', url }
  },

  async lookUp(call, order) {
    const entry = await call.bank.find(order.reference)
    if (!entry) return { kind: 'not_found' }
    const status = statusOf(entry, call.now())
    const { outcome: _, settlesAt: __, ...bankOrder } = entry
    const { reference, amountMinor, currency } = entry
    return {
      kind: 'found',
      opened: { kind: 'redirect', url: call.bank.orderUrl(bankOrder) },
      snapshot: {
        status,
        reference,
        amountMinor,
        currency,
        authorizedMinor: status === 'paid' || status === 'authorized' ? amountMinor : 0,
        capturedMinor: status === 'paid' ? amountMinor : 0,
        refundedMinor: 0,
        ...(status === 'failed' && { detail: 'the bank declined' }),
        ...(status === 'status_unknown' && { detail: "the bank's answer is lost" }),
      },
    }
  },
}

/** The bank's outcome in our words. */
function statusOf(entry: BankEntry, now: Date): PaymentStatus {
  const consented = entry.twoStep ? 'authorized' : 'paid'
  switch (entry.outcome) {
    case null:
      return 'pending_payment'
    case 'paid':
      return consented
    case 'pending':
      return entry.settlesAt && new Date(entry.settlesAt) <= now ? consented : 'pending_payment'
    case 'declined':
      return 'failed'
    case 'cancelled':
      return 'cancelled'
    case 'unknown':
      return 'status_unknown'
  }
}
