/**
 * Questions that visits cause: a look-up, a page that is shown, the buyer's return. Anybody who knows a payment's address can cause
 * them as often as they like, so one payment is asked about only every few seconds.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { recordAttempt } from '../../storage/payments/attempt-orders.ts'
import { claimProviderQuestion } from '../../storage/payments/attempts.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'
import { type AttemptFacts, NO_MONEY } from '../attempt.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { MIN_QUESTION_INTERVAL_MS } from '../question-schedule.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'

/**
 * Like askAboutPayment, for callers that may come often. It asks only if the payment is open and the provider was not asked
 * about it in the last seconds.
 */
export async function askIfStale(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  if (!isOpen(payment.status) || payment.status === 'created') return payment
  // A planned attempt has no order to ask about. At its expiry the payment ends.
  if (payment.attemptState === 'planned') return askAboutPayment(ctx, payment)
  const now = ctx.clock.now()
  const askedBefore = new Date(now.getTime() - MIN_QUESTION_INTERVAL_MS)
  const mayAsk = await claimProviderQuestion(ctx.db, payment, now, askedBefore)
  return mayAsk ? askAboutPayment(ctx, payment) : payment
}

const RETURNS_REMEMBERED = 10_000
/** For each world: when a returning buyer last caused a question about an attempt, in milliseconds since the epoch. */
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
  const returned = `${payment.id} ${payment.attempt}`
  if (now - (asked.get(returned) ?? 0) < MIN_QUESTION_INTERVAL_MS) return payment
  if (asked.size >= RETURNS_REMEMBERED) asked.clear()
  asked.set(returned, now)
  const account = payment.attemptState === 'planned' ? null : await findAccount(ctx, payment.accountId)
  const answer = account?.driver.lookUp && (await askProvider(ctx, account, payment, { isBuyerBack: true }))
  return askAboutPayment(ctx, payment, answer)
}

/**
 * The buyer goes on to the open order. From then on nothing counts that was learned before: the buyer's next return asks at once,
 * and no page shows the decline of an earlier card.
 */
export async function forgetEarlierTry(ctx: Context, payment: PaymentRecord): Promise<void> {
  returns.get(ctx.db)?.delete(`${payment.id} ${payment.attempt}`)
  const { declineCategory } = (payment.attemptFacts ?? {}) as AttemptFacts
  if (declineCategory === undefined) return
  const nothing = { ...NO_MONEY, facts: {} }
  const { attemptState: state } = payment
  await recordAttempt(ctx.db, payment, { from: state, state, ...nothing })
}
