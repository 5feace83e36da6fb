/**
 * The only writer of a payment's status. A change, its line in the timeline, its event and the job that delivers the
 * event are one write: all of it happens, or none.
 */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { newId } from '../id.ts'
import { eventBody } from '../receivers/body.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { insertEvent } from '../storage/events/events.ts'
import { addJob } from '../storage/jobs.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import { type Cause, insertPaymentChange } from '../storage/payments/payment-changes.ts'
import { type Finish, finishPayment } from '../storage/payments/payment-creation.ts'
import { lockPayment, type PaymentRecord, updatePaymentStatus } from '../storage/payments/payments.ts'
import { wakeSubscriptionOfPayment } from '../storage/payments/subscriptions.ts'
import { nextQuestionAt } from './question-schedule.ts'
import { noteReceiptsIn } from './receipt-change.ts'
import { canMove, WITHOUT_EVENT } from './status.ts'
import { presentPayment } from './view.ts'

/** What renewals name as their source in their metadata, so that events tell which period was paid. */
export const SUBSCRIPTION_SOURCE = 'subscription'

/** The name of the job that hands an event over. */
export const DELIVERY_TASK = 'deliver_event'

type Money = Pick<PaymentRecord, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>

export type Change = {
  to: PaymentStatus
  cause: Cause
  /** The amounts after the change; without them they stay. */
  money?: Money
  detail?: string
  /** The person who decided, where the cause is an operator. */
  actor?: string
}

/** `same`: the payment is there already. `refused`: the table has no such move; nothing was written. */
export type Applied = { outcome: 'changed' | 'same' | 'refused'; payment: PaymentRecord }

/**
 * Moves a payment, deciding under its row's lock.
 * @throws Error when there is no such payment.
 */
export async function applyStatus(
  ctx: Context,
  at: Pick<PaymentRecord, 'merchantId' | 'id'>,
  change: Change,
): Promise<Applied> {
  return inTransaction(ctx.db, (tx) => applyStatusIn(ctx, tx, at, change))
}

/** The same within the caller's transaction. */
export async function applyStatusIn(
  ctx: Context,
  tx: Tx,
  at: Pick<PaymentRecord, 'merchantId' | 'id'>,
  change: Change,
): Promise<Applied> {
  const before = await lockPayment(tx, at.merchantId, at.id)
  if (!before) throw new Error(`Bug! There is no payment ${at.id} to move.`)
  const money = change.money ?? before
  if (before.status === change.to && sameMoney(before, money)) return { outcome: 'same', payment: before }
  if (!canMove(before.status, change.to, change.cause)) return { outcome: 'refused', payment: before }
  const now = ctx.clock.now()
  const { authorizedMinor, capturedMinor, refundedMinor } = money
  const questionDueAt = nextQuestionAt(ctx, { ...before, status: change.to, updatedAt: now }, 0)
  const fiscalStatus = await noteReceiptsIn(ctx, tx, before, { ...money, status: change.to })
  const payment = await updatePaymentStatus(tx, before, {
    status: change.to,
    authorizedMinor,
    capturedMinor,
    refundedMinor,
    fiscalStatus,
    at: now,
    questionDueAt,
  })
  await insertPaymentChange(tx, {
    merchantId: at.merchantId,
    paymentId: at.id,
    version: payment.version,
    fromStatus: before.status,
    toStatus: change.to,
    cause: change.cause,
    detail: change.detail ?? null,
    actor: change.actor ?? null,
    createdAt: now,
  })
  // A hint only, as merchants may write it too: whether there is a subscription is looked up.
  if (payment.metadata?.source === SUBSCRIPTION_SOURCE) await wakeSubscriptionOfPayment(tx, payment, now)
  if (!WITHOUT_EVENT.includes(change.to)) await announce(ctx, tx, payment)
  // Just before the commit: a change that is rolled back after this is counted, and that is rare enough.
  ctx.metrics.statusChanged(change.to, change.cause)
  return { outcome: 'changed', payment }
}

function sameMoney(left: Money, right: Money): boolean {
  return (
    left.authorizedMinor === right.authorizedMinor &&
    left.capturedMinor === right.capturedMinor &&
    left.refundedMinor === right.refundedMinor
  )
}

/** Writes the event of a change, due at once, and the job that wakes the workers; nothing is due without a callback URL. */
async function announce(ctx: Context, tx: Tx, payment: PaymentRecord): Promise<void> {
  const { merchantId, id: paymentId, version: sequence, status, updatedAt: createdAt } = payment
  const id = newId(ctx.world, 'evt', createdAt)
  const body = eventBody({ id, createdAt, sequence, payment: presentPayment(ctx, payment) })
  const { eventRetryDelaysSeconds } = ctx.config
  const waitMs = (eventRetryDelaysSeconds[0] ?? 0) * 1000
  const isAddressed = !!(await findMerchant(tx, merchantId))?.callbackUrl
  await insertEvent(tx, {
    merchantId,
    id,
    paymentId,
    sequence,
    status,
    body,
    createdAt,
    state: isAddressed ? 'pending' : 'unaddressed',
    dueAt: isAddressed ? new Date(createdAt.getTime() + waitMs) : null,
  })
  if (isAddressed)
    await addJob(tx, { task: DELIVERY_TASK, payload: { merchantId, eventId: id }, jobKey: id, waitMs })
}

/** What a provider's answer adds to a payment when its checkout can be handed out. */
export type Started = Pick<
  PaymentRecord,
  'providerState' | 'providerCheckoutUrl' | 'providerForm' | 'expiresAt'
>

/** The payment after its first move: its checkout can be handed out. No event: it is the answer to the caller's request. */
export function asStarted(payment: PaymentRecord, started: Started, at: Date): PaymentRecord {
  return { ...payment, ...started, status: 'pending_redirect', version: payment.version + 1, updatedAt: at }
}

/** Writes that first move of a stored payment, and finishes its key. Answers false when the payment had moved already. */
export async function applyStarted(ctx: Context, started: Omit<Finish, 'toStatus'>): Promise<boolean> {
  const moved = await finishPayment(ctx.db, { ...started, toStatus: 'pending_redirect' })
  if (moved) ctx.metrics.statusChanged('pending_redirect', 'request')
  return moved
}
