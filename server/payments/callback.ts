/**
 * A provider's callback says that something has happened to an order. The driver checks that the provider sent it. Then the
 * provider is asked how the payment stands.
 * Rule: nothing that the callback itself says changes a payment.
 */
import { findAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { RawCallback } from '../providers/driver.ts'
import { findPaymentByReference, wakePaymentSync } from '../storage/payments/payment-callbacks.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { providerCall } from './provider-call.ts'
import { askAboutPayment, askProvider } from './question.ts'

/**
 * `done`: the provider was asked, and the payment is up to date. `noted`: the provider did not answer and will be asked again.
 * `unknown`: there is no such account, or no such order at the account. `forged`: the provider did not send the callback.
 */
export type CallbackOutcome = 'done' | 'noted' | 'unknown' | 'forged'

/** Handles a callback to `/callbacks/{accountId}`, of a retired account too. A repeated, old or late callback does no harm. */
export async function takeCallback(
  ctx: Context,
  accountId: string,
  raw: RawCallback,
): Promise<CallbackOutcome> {
  const account = await findAccount(ctx, accountId)
  if (!account?.driver.inbound) return 'unknown'
  const event = account.driver.inbound.parse(providerCall(ctx, account), raw)
  if (event.kind === 'rejected') {
    ctx.log.warn({ accountId, why: event.message }, 'callback rejected')
    return 'forged'
  }
  const found = await findPaymentByReference(ctx.db, accountId, event.reference)
  const payment = found && (await findPayment(ctx.db, found.merchantId, found.id))
  if (!payment) return 'unknown'
  const answer = await askProvider(ctx, account, payment)
  if (answer.kind === 'unavailable') {
    await wakePaymentSync(ctx.db, payment, ctx.clock.now())
    return 'noted'
  }
  await askAboutPayment(ctx, payment, answer)
  return 'done'
}
