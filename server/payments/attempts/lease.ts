/** A payment's first attempt, and the lease on opening its order: how long it lasts, and how it ends without an order. */
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { releaseOpening } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { firstQuestionAt, pauseWithoutAnswerMs } from '../question-schedule.ts'
import { NO_MONEY } from './attempt.ts'

/** A caller whose provider did not answer gets this long to try again before the worker does. */
const PATIENCE_MS = 3_000

/** Returns until when a process that begins to open an order now may do so. */
export function openingEnd({ clock, config }: Context): Date {
  return new Date(clock.now().getTime() + config.attemptLeaseSeconds * 1000)
}

type Ending = { unsureMs?: number; isRefused?: boolean; retryAfterMs?: number }

/**
 * Ends the lease. The worker looks again after a pause that grows. `unsureMs`: the request may have reached the provider, so for
 * this time nobody believes that there is no order. `isRefused`: the order is over, and the payment waits for another one.
 * `retryAfterMs`: the shortest pause.
 */
export async function release(
  ctx: Context,
  payment: AttemptedPayment,
  { unsureMs = 0, isRefused = false, retryAfterMs = 0 }: Ending = {},
): Promise<void> {
  const { expiresAt, attempt } = payment
  const { leaseUntil, questionAttempts, number } = attempt
  if (!leaseUntil) return
  const now = ctx.clock.now().getTime()
  // An order that replaces a lost one begins without questions, so its number says how long the provider has been failing.
  const tries = Math.max(questionAttempts, number - 1)
  const usualMs = tries === 0 ? PATIENCE_MS : pauseWithoutAnswerMs(ctx, tries)
  const pauseMs = Math.max(usualMs, retryAfterMs)
  await releaseOpening(
    ctx.db,
    { ...attempt, leaseUntil },
    {
      state: isRefused ? 'refused' : null,
      questionDueAt: isRefused ? expiresAt : new Date(now + pauseMs),
      mayAppearUntil: unsureMs > 0 ? new Date(now + unsureMs) : null,
    },
  )
}

/** Returns the first attempt, which is not stored yet. The caller opens the order. `reference`: see `reference.ts`. */
export function newAttempt(
  ctx: Context,
  { merchantId, id: paymentId, createdAt, expiresAt }: Payment,
  { id: accountId, route: provider }: Account,
  reference: string,
): Attempt {
  return {
    merchantId,
    paymentId,
    number: 1,
    state: 'opening',
    provider,
    accountId,
    reference,
    providerState: null,
    checkoutUrl: null,
    form: null,
    begunAt: createdAt,
    leaseUntil: openingEnd(ctx),
    mayAppearUntil: null,
    openedAt: null,
    expiresAt,
    ...NO_MONEY,
    facts: null,
    questionDueAt: firstQuestionAt(ctx, createdAt),
    questionAttempts: 0,
    askedAt: null,
  }
}
