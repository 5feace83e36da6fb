/**
 * What we do with a provider's order besides asking about it: take the money of an approved one, withdraw one that nobody
 * should pay any more. The provider's answers prove nothing, so the caller asks again afterwards.
 */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import type { ProviderOrder } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { claimFinalizingOrder, releaseFinalizingOrder } from '../../storage/payments/provider-orders.ts'
import { AFTER_EXPIRY_MS } from '../question-schedule.ts'
import { openedBetween } from '../restored.ts'
import { isUnsent, sendToProvider, wantedPauseMs } from './send-to-provider.ts'

/**
 * Takes the money of an order whose buyer has approved. The payment's row decides who does it: one process, and only while the
 * payment has not ended. A buyer who approved in time may be seen only at the expiry. Returns null if this process did nothing, and
 * else whether the provider has certainly not taken the money.
 */
export async function finalizeOrder(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<{ isRefused: boolean } | null> {
  const { finalize } = account.driver
  const now = ctx.clock.now()
  const limits = limitsOfCall(account, 'finalize')
  // After this time another process may try, under the same key.
  const until = new Date(now.getTime() + 2 * limits.timeoutMs)
  const expiredAfter = new Date(now.getTime() - AFTER_EXPIRY_MS)
  if (!finalize || !(await claimFinalizingOrder(ctx.db, payment, { now, until, expiredAfter }))) return null
  const { reference: key } = payment.attempt
  const sendUntil = new Date(now.getTime() + limits.timeoutMs)
  const about = { about: payment.id, right: 'payment', isTaking: true } as const
  const calling = { lane: 'money', ...limits, sendUntil, ...about } as const
  const result = await sendToProvider(ctx, account, calling, async (call) =>
    finalize(call, await orderOf(ctx, payment.attempt), key),
  )
  if (!('message' in result)) return { isRefused: false }
  ctx.log.warn({ paymentId: payment.id, why: result.message }, 'approved order not finalized')
  if (!isUnsent(result)) return { isRefused: result.kind === 'refused' }
  // The request did not leave, so the next question may try again after the pause that the provider wants.
  const again = new Date(ctx.clock.now().getTime() + wantedPauseMs(result))
  await releaseFinalizingOrder(ctx.db, payment.attempt, { claimedUntil: until, again })
  return { isRefused: true }
}

/** Ends the order at the provider, where the driver can. Returns false if nothing was tried. */
export async function withdrawOrder(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<boolean> {
  const { withdraw } = account.driver
  if (!withdraw) return false
  // An order that stays open can bring money twice, and the next order may wait for this.
  const limits = limitsOfCall(account, 'withdraw')
  const calling = { lane: 'creation', ...limits, about: payment.id, right: 'withdraw' } as const
  const result = await sendToProvider(ctx, account, calling, async (call) =>
    withdraw(call, await orderOf(ctx, payment.attempt)),
  )
  if ('message' in result)
    ctx.log.info(
      { paymentId: payment.id, why: result.message },
      'order not withdrawn: it may still bring money',
    )
  return true
}

/** Returns how the driver finds the attempt's order. */
export async function orderOf(
  ctx: Context,
  { paymentId, reference, providerState: state, begunAt }: Attempt,
): Promise<ProviderOrder> {
  const opened = await openedBetween(ctx, begunAt)
  return { reference, state, opened, paymentReference: referenceOf(paymentId) }
}
