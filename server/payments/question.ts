/**
 * Asks the provider how a payment stands, and applies the answer. The buyer's return, a callback, a look-up and the schedule all
 * use this file, so that there is only one place where a payment learns about its money.
 */
import { findAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { LookUpResult } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'
import { insertPaymentWarning } from '../storage/payments/payment-warnings.ts'
import { claimProviderQuestion, type PaymentRecord, updateQuestionDue } from '../storage/payments/payments.ts'
import { updateProviderState } from '../storage/payments/provider-orders.ts'
import { callProvider, explainCallFailure } from './provider-call.ts'
import { finalizeOrder, withdrawOrder } from './provider-order.ts'
import { meaningOf, statusOf } from './provider-word.ts'
import { MIN_QUESTION_INTERVAL_MS, nextQuestionAt } from './question-schedule.ts'
import { isOpen, OVER_UNPAID } from './status.ts'
import { applyStatus } from './transition.ts'

const QUESTION_TIMEOUT_MS = 5_000
/** While one process asks about a payment, other processes skip the payment for this long. */
export const QUESTION_LEASE_MS = 60_000

/**
 * Asks the provider at once, however recent the last question was. A question that times out or fails returns `unavailable`.
 * In a found snapshot the status is replaced by the status that follows from the amounts.
 */
export async function askProvider(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
): Promise<LookUpResult> {
  const { driver } = account
  if (!driver.lookUp) return { kind: 'unavailable', message: 'this provider cannot be asked' }
  const order = { reference: payment.providerReference, state: payment.providerState }
  const asking = { timeoutMs: QUESTION_TIMEOUT_MS, about: payment.id }
  try {
    const found = await callProvider(ctx, account, asking, async (call) => driver.lookUp?.(call, order))
    if (!found) return { kind: 'unavailable', message: 'this provider cannot be asked' }
    if (found.kind !== 'found') return found
    return { ...found, snapshot: { ...found.snapshot, status: statusOf(found.snapshot) } }
  } catch (error) {
    return { kind: 'unavailable', message: explainCallFailure(ctx, error) }
  }
}

/**
 * Asks the provider and applies the answer. Returns the payment in its new state.
 * `answer`: an answer that the caller just got; the provider is then not asked again.
 */
export async function askAboutPayment(
  ctx: Context,
  payment: PaymentRecord,
  answer?: LookUpResult,
): Promise<PaymentRecord> {
  const account = await findAccount(ctx, payment.accountId)
  if (!account || (!answer && !account.driver.lookUp)) return payment
  const said = await tendOrder(ctx, account, payment, answer ?? (await askProvider(ctx, account, payment)))
  const meaning = await meaningOf(ctx, payment, said)
  if (meaning.kind === 'nothing') return payment
  if (meaning.kind === 'warn') {
    await warn(ctx, payment, meaning.detail)
    return payment
  }
  const applied = await applyStatus(ctx, payment, meaning.change)
  // The payment's status changed while the provider was asked. The next question starts from the new status.
  if (applied.outcome === 'refused')
    ctx.log.info(
      { paymentId: payment.id, from: applied.payment.status, to: meaning.change.to },
      'provider answer came too late to apply',
    )
  return applied.payment
}

/**
 * Does what the answer calls for at the provider before it is applied: takes the money of an approved order, or withdraws an
 * order that expires now. Returns the provider's answer after that. Also stores the order's new state.
 */
async function tendOrder(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  answer: LookUpResult,
): Promise<LookUpResult> {
  if (answer.kind !== 'found') return answer
  if (answer.state !== undefined) await updateProviderState(ctx.db, payment, answer.state)
  const order = { ...payment, providerState: answer.state ?? payment.providerState }
  const meaning = await meaningOf(ctx, payment, answer)
  const expires = meaning.kind === 'change' && meaning.change.to === 'expired'
  const acted = expires
    ? await withdrawOrder(ctx, account, order)
    : answer.snapshot.needsFinalize === true && (await finalizeOrder(ctx, account, order))
  return acted ? askProvider(ctx, account, order) : answer
}

/** Stores a warning about a provider answer that does not fit this payment, and logs it the first time. */
async function warn(
  ctx: Context,
  { merchantId, id: paymentId }: PaymentRecord,
  detail: string,
): Promise<void> {
  const warning = { merchantId, paymentId, detail, createdAt: ctx.clock.now() }
  if (await insertPaymentWarning(ctx.db, warning))
    ctx.log.warn({ paymentId, detail }, 'provider answer does not fit the payment')
}

/**
 * Like askAboutPayment, for callers that may come often. It asks only if the payment is open and the provider was not asked
 * about it in the last seconds.
 */
export async function askIfStale(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  if (!isOpen(payment.status) || payment.status === 'created') return payment
  const now = ctx.clock.now()
  const askedBefore = new Date(now.getTime() - MIN_QUESTION_INTERVAL_MS)
  const mayAsk = await claimProviderQuestion(ctx.db, payment, now, askedBefore)
  return mayAsk ? askAboutPayment(ctx, payment) : payment
}

const RETURNS_REMEMBERED = 10_000
/** For each world: when a returning buyer last caused a question about a payment, in milliseconds since the epoch. */
const returns = new WeakMap<Context['db'], Map<string, number>>()

/**
 * Like askAboutPayment, for the buyer's return. Questions of others do not count here: a shop that looked the payment up a second
 * ago did so before the buyer had paid. Each process remembers its own returns. Returns the payment as it is now.
 */
export async function askAtReturn(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  if (!isOpen(payment.status) && !OVER_UNPAID.includes(payment.status)) return payment
  const asked = returns.get(ctx.db) ?? new Map<string, number>()
  returns.set(ctx.db, asked)
  const now = ctx.clock.now().getTime()
  if (now - (asked.get(payment.id) ?? 0) < MIN_QUESTION_INTERVAL_MS) return payment
  if (asked.size >= RETURNS_REMEMBERED) asked.clear()
  asked.set(payment.id, now)
  return askAboutPayment(ctx, payment)
}

/** Asks a question that is due, and schedules the next one. A status change already schedules the next question. */
export async function askDue(ctx: Context, due: PaymentRecord): Promise<void> {
  const payment = await askAboutPayment(ctx, due)
  if (payment.version !== due.version) return
  const dueAt = nextQuestionAt(ctx, payment, due.questionAttempts)
  await updateQuestionDue(ctx.db, payment, dueAt)
  if (dueAt || payment.status !== 'status_unknown') return
  await warn(
    ctx,
    payment,
    'unclear for a week: the schedule no longer asks the provider, and an operator has to decide',
  )
}
