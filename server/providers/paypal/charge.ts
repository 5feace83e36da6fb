/**
 * Charging a saved PayPal account: one request creates the order with the account and takes the money.
 * Rule: PayPal does this once for a request id, and then returns the order again. So a request whose response was lost is sent
 * again. Its response has the order's id, without which PayPal cannot be asked.
 */
import type { ChargeResult, Driver } from '../driver.ts'
import { readFinalized, unitOf } from './checkout.ts'
import { findDecline } from './decline.ts'
import { NO_ORDER, type OrderState } from './order.ts'
import { askPaypal, type PaypalAnswer, whyRefused } from './request.ts'
import { paypalRequestId } from './request-id.ts'
import type { PaypalSettings } from './settings.ts'
import { vaultStateOf } from './vault.ts'
import { FinalizedOrder } from './wire.ts'

export const chargeMembers = {
  async chargeToken(call, charge): Promise<ChargeResult> {
    const { token } = vaultStateOf(charge.token.state)
    if (token === undefined)
      return { kind: 'refused', message: 'no PayPal account is saved', decline: 'hard', state: NO_ORDER }
    const answer = await askPaypal(call, {
      method: 'POST',
      path: '/v2/checkout/orders',
      requestId: paypalRequestId('create', charge.reference, charge.refusedTimes),
      body: {
        intent: 'CAPTURE',
        purchase_units: [unitOf(charge)],
        payment_source: {
          paypal: {
            vault_id: token,
            stored_credential: {
              payment_initiator: 'MERCHANT',
              usage: 'SUBSEQUENT',
              usage_pattern: 'RECURRING_PREPAID',
            },
          },
        },
      },
    })
    return answer.kind === 'refused' ? readRefusal(answer) : readOrder(FinalizedOrder.parse(answer.body))
  },
} satisfies Pick<Driver<PaypalSettings>, 'chargeToken'>

function readOrder(order: FinalizedOrder): ChargeResult {
  const state: OrderState = { order: order.id, intent: 'CAPTURE', charge: true }
  if (order.status === 'PAYER_ACTION_REQUIRED')
    return { kind: 'refused', message: 'the buyer would have to confirm it', decline: 'soft', state }
  // The guide says that PayPal completes the order at once. An order that PayPal leaves open is captured after the look-up.
  if (order.status !== 'COMPLETED') return { kind: 'pending', state }
  const result = readFinalized(order)
  if (result.kind === 'refused') return { kind: 'refused', message: result.message, decline: 'soft', state }
  return result.kind === 'unknown' ? { ...result, state } : { kind: result.kind, state }
}

function readRefusal(answer: Extract<PaypalAnswer, { kind: 'refused' }>): ChargeResult {
  const declined = findDecline(answer.issues)
  // An earlier request may have paid this charge, and PayPal may have forgotten the request id.
  if (declined?.issue === 'DUPLICATE_INVOICE_ID') return { kind: 'unknown', message: declined.meaning.detail }
  return {
    kind: 'refused',
    message: declined?.meaning.detail ?? whyRefused(answer),
    decline: declined?.meaning.decline ?? 'soft',
    state: NO_ORDER,
  }
}
