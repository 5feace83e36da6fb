/**
 * Charging a saved PayPal account, in two requests: the first creates an unpaid order, the second captures it with the saved
 * account.
 * Rule: only the second request takes money. The order's id is known by then, so after a lost response the order is looked up
 * by that id.
 */
import type { ChargeResult, Driver } from '../driver.ts'
import { readFinalized, rememberDecline, unitOf } from './checkout.ts'
import { findDecline } from './decline.ts'
import { memoryOf, remember } from './memory.ts'
import { type OrderState, orderPath } from './order.ts'
import { askPaypal, whyRefused } from './request.ts'
import type { PaypalSettings } from './settings.ts'
import { vaultStateOf } from './vault.ts'
import { FinalizedOrder, OpenedOrder } from './wire.ts'

export const chargeMembers = {
  async chargeToken(call, charge): Promise<ChargeResult> {
    const { unsent } = await memoryOf(call)
    const { reference, token } = charge
    const vault = vaultStateOf(token.state).token
    if (vault === undefined) {
      remember(unsent, reference, true)
      return { kind: 'refused', message: 'no PayPal account is saved', decline: 'hard' }
    }
    // Until the capture is sent, nothing can have been charged.
    remember(unsent, reference, true)
    const opened = await askPaypal(call, {
      method: 'POST',
      path: '/v2/checkout/orders',
      requestId: reference,
      body: { intent: 'CAPTURE', purchase_units: [unitOf(charge)] },
    })
    if (opened.kind === 'refused') return { kind: 'refused', message: whyRefused(opened), decline: 'soft' }
    const { id: order } = OpenedOrder.parse(opened.body)
    const state: OrderState = { order, intent: 'CAPTURE', charge: true }
    unsent.delete(reference)
    try {
      const said = await askPaypal(call, {
        method: 'POST',
        path: `${orderPath(order)}/capture`,
        requestId: `${reference}-charge`,
        body: {
          payment_source: {
            paypal: {
              vault_id: vault,
              stored_credential: {
                payment_initiator: 'MERCHANT',
                usage: 'SUBSEQUENT',
                usage_pattern: 'RECURRING_PREPAID',
              },
            },
          },
        },
      })
      if (said.kind === 'ok') {
        const result = readFinalized(FinalizedOrder.parse(said.body))
        if (result.kind === 'refused') return { ...result, decline: 'soft', state }
        return result.kind === 'unknown' ? { ...result, state } : { kind: result.kind, state }
      }
      const declined = findDecline(said.issues)
      await rememberDecline(call, order, declined?.issue ?? said.issues[0] ?? said.name)
      return {
        kind: 'refused',
        message: declined?.meaning.detail ?? whyRefused(said),
        decline: declined?.meaning.decline ?? 'soft',
        state,
      }
    } catch (error) {
      return { kind: 'unknown', message: (error as Error).message, state }
    }
  },
} satisfies Pick<Driver<PaypalSettings>, 'chargeToken'>
