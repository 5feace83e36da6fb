/**
 * Asking the provider what became of a payment, and applying its word. The buyer's return, a callback, a look-up and
 * the schedule all come here: there is one way in which a payment learns of its money.
 */
import type { Context } from '../context.ts'
import type { LookUpResult } from '../providers/driver.ts'
import { isReady, type ReadyRoute } from '../providers/registry.ts'
import { insertPaymentWarning } from '../storage/payments/payment-warnings.ts'
import { claimProviderQuestion, type PaymentRecord, updateQuestionDue } from '../storage/payments/payments.ts'
import { providerCall, within } from './provider-call.ts'
import { interpret, statusOf } from './provider-word.ts'
import { ASKED_LATELY_MS, nextQuestionAt } from './question-schedule.ts'
import { isOpen } from './status.ts'
import { applyStatus } from './transition.ts'

const QUESTION_TIMEOUT_MS = 5_000
/** While one process asks, the others leave the payment alone for this long. */
export const QUESTION_LEASE_MS = 60_000

/**
 * Asks the provider, whatever was asked lately. A question that takes too long or fails is an unavailable provider. The
 * status of what is found is where its amounts put it.
 */
export async function askProvider(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
): Promise<LookUpResult> {
  if (!route.driver.lookUp) return { kind: 'unavailable', message: 'this provider cannot be asked' }
  const order = { reference: payment.providerReference, state: payment.providerState }
  try {
    const found = await within(QUESTION_TIMEOUT_MS, route.driver.lookUp(providerCall(ctx, route), order))
    if (found.kind !== 'found') return found
    return { ...found, snapshot: { ...found.snapshot, status: statusOf(found.snapshot) } }
  } catch (error) {
    return { kind: 'unavailable', message: String(error) }
  }
}

/** Asks the provider and applies its word; `asked`: what it has just said. Answers the payment as it then stands. */
export async function askAboutPayment(
  ctx: Context,
  payment: PaymentRecord,
  asked?: LookUpResult,
): Promise<PaymentRecord> {
  const route = ctx.routes[payment.provider]
  if (!isReady(route) || !route.driver.lookUp) return payment
  const answer = asked ?? (await askProvider(ctx, route, payment))
  const meaning = interpret(payment, answer, ctx.clock.now())
  if (meaning.kind === 'nothing') return payment
  if (meaning.kind === 'warn') {
    await warn(ctx, payment, meaning.detail)
    return payment
  }
  const applied = await applyStatus(ctx, payment, meaning.change)
  // It moved while the provider was asked; the next question is about it as it is then.
  if (applied.outcome === 'refused')
    ctx.log.info(
      { paymentId: payment.id, from: applied.payment.status, to: meaning.change.to },
      'answer came late',
    )
  return applied.payment
}

/** Notes once what the provider said that cannot be true of this payment, and tells the operator. */
async function warn(
  ctx: Context,
  { merchantId, id: paymentId }: PaymentRecord,
  detail: string,
): Promise<void> {
  const warning = { merchantId, paymentId, detail, createdAt: ctx.clock.now() }
  if (await insertPaymentWarning(ctx.db, warning))
    ctx.log.warn({ paymentId, detail }, 'provider answer does not fit')
}

/** As askAboutPayment, for callers who may come often: asks only what is open and was not asked about in the last seconds. */
export async function askIfStale(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  if (!isOpen(payment.status) || payment.status === 'created') return payment
  const now = ctx.clock.now()
  const ours = await claimProviderQuestion(ctx.db, payment, now, new Date(now.getTime() - ASKED_LATELY_MS))
  return ours ? askAboutPayment(ctx, payment) : payment
}

/** A question that fell due: asks, and says when to ask again. What has moved has its next question by the move. */
export async function askDue(ctx: Context, payment: PaymentRecord): Promise<void> {
  const now = await askAboutPayment(ctx, payment)
  if (now.version !== payment.version) return
  const dueAt = nextQuestionAt(ctx, now, payment.questionAttempts)
  await updateQuestionDue(ctx.db, now, dueAt)
  if (dueAt || now.status !== 'status_unknown') return
  await warn(
    ctx,
    now,
    'unclear for a week: the provider is asked no more by itself, and an operator has to decide',
  )
}
