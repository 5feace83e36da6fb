/**
 * A provider's callback: it says that something has happened to an order. It is checked to be the provider's, and then the
 * provider is asked.
 * Law: the callback's own words change nothing.
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
 * `done`: the payment is as the provider says now. `noted`: the provider did not answer, and will be asked again.
 * `unknown`: no such route, or no such order on it. `forged`: not the provider's.
 */
export type CallbackOutcome = 'done' | 'noted' | 'unknown' | 'forged'

/** Follows a callback to `/callbacks/{routeName}`. The same one again, an old one or a late one does no harm. */
export async function takeCallback(
  ctx: Context,
  routeName: string,
  raw: RawCallback,
): Promise<CallbackOutcome> {
  const name = PROVIDER_ROUTES.find((each) => each === routeName)
  const route = name && ctx.routes[name]
  if (!route || !isReady(route) || !route.driver.inbound) return 'unknown'
  const heard = route.driver.inbound.parse(providerCall(ctx, route), raw)
  if (heard.kind === 'rejected') {
    ctx.log.warn({ route: name, why: heard.message }, 'callback refused')
    return 'forged'
  }
  const at = await findPaymentByReference(ctx.db, name, heard.reference)
  const payment = at && (await findPayment(ctx.db, at.merchantId, at.id))
  if (!payment) return 'unknown'
  const asked = await askProvider(ctx, route, payment)
  if (asked.kind === 'unavailable') {
    await wakePaymentSync(ctx.db, payment, ctx.clock.now())
    return 'noted'
  }
  await askAboutPayment(ctx, payment, asked)
  return 'done'
}
