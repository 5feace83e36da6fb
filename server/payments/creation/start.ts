/** How a new payment starts: composed, planned, or opened at the provider; and what the response says about the opening. */
import { NOT_READY } from '../../accounts/capability-state.ts'
import { refusedPayment } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Account } from '../../providers/registry.ts'
import { type AttemptedPayment, type Payment, withAttempt } from '../../storage/payments/payment.ts'
import type { AmountField } from '../account.ts'
import type { Opening } from '../attempts/opening.ts'
import { checkoutOf, startedBy } from '../attempts/order.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { settingsOf } from '../provider-call.ts'
import { firstQuestionOf } from '../question-schedule.ts'
import { asStarted } from '../transition.ts'

const RETRY_AFTER_SECONDS = 5

/** Whether the payment's first order is still to be opened, or the answer to its opening was lost. */
export function isToBeStarted({ status, attempt: { state, underWaySince } }: AttemptedPayment): boolean {
  if (status === 'created') return true
  return status === 'pending_payment' && state === 'opening' && !underWaySince
}

/**
 * Returns the payment whose order was opened, or that ended meanwhile. `amountField`: the caller's name for the amount.
 * @throws AppError provider_unavailable if it is not known yet whether there is an order, or if the provider refused one because of
 *   the account; validation_failed for a refused amount; request_in_progress if another request opens the order. The key then still
 *   leads to this payment.
 */
export async function answerOf(
  ctx: Context,
  { kind, payment, isOpener, refused, why, retryAfterMs = 0 }: Opening,
  amountField: AmountField = 'amountMinor',
): Promise<{ payment: AttemptedPayment; created: boolean }> {
  if (refused) throw refusedPayment(payment.id, refused, amountField)
  if (kind === 'not_ready')
    throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, hint: NOT_READY })
  if (why !== undefined) throw unavailable(payment, why, retryAfterMs)
  if (kind === 'busy') throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
  // It has expired, and the status does not show it yet.
  const known = payment.status === 'created' ? await askAboutPayment(ctx, payment) : payment
  if (known.status === 'created')
    throw unavailable(payment, 'the provider did not say whether there is an order')
  return { payment: known, created: isOpener === true }
}

/**
 * Composes the checkout of a new payment, if the account's driver can do that without calling the provider. Creation then stores
 * the payment, its checkout and the key in one write. For other accounts the payment is returned unchanged.
 */
export async function composeStart(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<AttemptedPayment> {
  const { composeCheckout } = account.driver
  if (!composeCheckout) return payment
  const request = await checkoutOf(ctx, account, payment)
  const opened = composeCheckout({ settings: settingsOf(ctx, account) }, request)
  const at = payment.createdAt
  const started = asStarted(payment, startedBy(opened, payment), at)
  return withAttempt(started, { questionDueAt: await firstQuestionOf(ctx, account, { ...started, at }) })
}

/**
 * Plans the payment's first attempt without telling the provider: a link may be opened weeks later, or never. An order that needs only
 * our own page is open at once.
 */
export async function planStart(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<AttemptedPayment> {
  const { composeCheckout, supportsAutoinit } = account.driver
  const composed = composeCheckout && !supportsAutoinit ? await composeStart(ctx, account, payment) : payment
  const isHosted = composed !== payment && !composed.attempt.checkoutUrl && !composed.attempt.form
  return isHosted ? composed : planOrder(payment)
}

/** Plans the first attempt, also on a route that our own page would say alone: the buyer chooses first. */
export function planOrder(payment: AttemptedPayment): AttemptedPayment {
  const planned = { providerState: null, checkoutUrl: null, form: null, expiresAt: payment.expiresAt }
  const started = asStarted(payment, planned, payment.createdAt)
  return withAttempt(started, { state: 'planned', questionDueAt: payment.expiresAt })
}

/** `retryAfterMs`: how long the provider wants everybody to wait. */
function unavailable({ id: paymentId }: Payment, message: string, retryAfterMs = 0): AppError {
  const wantedSeconds = Math.ceil(retryAfterMs / 1_000)
  return new AppError('provider_unavailable', {
    retryAfterSeconds: Math.max(RETRY_AFTER_SECONDS, wantedSeconds),
    about: { paymentId },
    cause: new Error(message),
  })
}
