/**
 * A provider's callback says that something has happened to an order. The driver checks that the provider sent it. Then the
 * provider is asked how the payment stands.
 * Rule: nothing that the callback itself says changes a payment.
 */
import type { Context } from '../context.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import type { RawCallback } from '../providers/driver.ts'
import { isReady } from '../providers/registry.ts'
import { findPaymentByReference, wakePaymentSync } from '../storage/payments/payment-callbacks.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { providerCall } from './provider-call.ts'
import { askAboutPayment, askProvider } from './question.ts'

/**
 * `done`: the provider was asked, and the payment is up to date. `noted`: the provider did not answer and will be asked again.
 * `unknown`: there is no such route, or no such order on the route. `forged`: the provider did not send the callback.
 */
export type CallbackOutcome = 'done' | 'noted' | 'unknown' | 'forged'

/** Handles a callback to `/callbacks/{routeName}`. A repeated, old or late callback does no harm. */
export async function takeCallback(
  ctx: Context,
  routeName: string,
  raw: RawCallback,
): Promise<CallbackOutcome> {
  const name = PROVIDER_ROUTES.find((each) => each === routeName)
  const route = name && ctx.routes[name]
  if (!route || !isReady(route) || !route.driver.inbound) return 'unknown'
  const event = route.driver.inbound.parse(providerCall(ctx, route), raw)
  if (event.kind === 'rejected') {
    ctx.log.warn({ route: name, why: event.message }, 'callback rejected')
    return 'forged'
  }
  const found = await findPaymentByReference(ctx.db, name, event.reference)
  const payment = found && (await findPayment(ctx.db, found.merchantId, found.id))
  if (!payment) return 'unknown'
  const answer = await askProvider(ctx, route, payment)
  if (answer.kind === 'unavailable') {
    await wakePaymentSync(ctx.db, payment, ctx.clock.now())
    return 'noted'
  }
  await askAboutPayment(ctx, payment, answer)
  return 'done'
}
