/** A merchant requests a refund, a capture or a void. This file decides whether the payment allows it now, and the amount. */

import type { Context } from '../../context.ts'
import type {
  CreateCaptureRequest,
  CreateRefundRequest,
  CreateVoidRequest,
  OperationResponse,
} from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import type { Tx } from '../../storage/db.ts'
import {
  listOpenOperations,
  type OperationRecord,
  rescheduleOperation,
} from '../../storage/payments/operations.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findPayment, lockPayment, reserveRefund } from '../../storage/payments/payments.ts'
import { type MoneyOperation, OPERATION_TABLE, refuseIfMoved } from '../operation.ts'
import { type Asker, claimOf, presentRequested, requestOperation } from '../operation-request.ts'
import { findAgain } from '../restored/lost-order.ts'
import { countReturn, noteRefusal, type Returner } from '../return-limits.ts'
import { disputedOf } from '../status.ts'

/** An operation that waits for another one is woken when that one ends. As a fallback it checks again after this time. */
export const RECHECK_WAITING_MS = 60_000

/**
 * `version`: of the payment, if a person has decided about it as it was then. `returner`: whose limits it counts against; absent for
 * the service itself, and null for a token without limits.
 */
export type MoneyRequest = Asker & {
  paymentId: string
  version?: number | undefined
  returner?: Returner | null | undefined
  request: CreateRefundRequest | CreateCaptureRequest | CreateVoidRequest
  /** A refund is made only if this much was refunded before, with what is not decided yet. */
  ifRefundedMinor?: number | undefined
}

export const SCOPES: Record<MoneyOperation, (paymentId: string) => string> = {
  refund: (id) => `POST /v1/payments/${id}/refunds`,
  capture: (id) => `POST /v1/payments/${id}/capture`,
  void: (id) => `POST /v1/payments/${id}/void`,
}

/**
 * Queues a refund, a capture or a void, or replays it.
 * @throws AppError payment_not_found, validation_failed, operation_disabled, operation_not_configured,
 *   payment_not_eligible, refund_limit_reached, idempotency_key_reused
 */
export async function requestMoneyOperation(
  ctx: Context,
  type: MoneyOperation,
  { paymentId: given, request, version, returner = null, ifRefundedMinor, ...asker }: MoneyRequest,
): Promise<OperationResponse> {
  const payment = (await findPayment(ctx.db, asker.merchantId, given)) ?? (await findAgain(ctx, given))
  if (payment?.merchantId !== asker.merchantId) throw new AppError('payment_not_found')
  refuseWrongTerms(payment, request)
  const { id: paymentId } = payment
  const claim = claimOf(asker, SCOPES[type](paymentId), request)
  const draft = {
    type,
    provider: payment.attempt.provider,
    accountId: payment.attempt.accountId,
    paymentId,
    attempt: payment.ownAttempt,
    currency: payment.currency,
    amountMinor: amountOf(type, payment, request),
    reason: request.reason ?? null,
    metadata: request.metadata ?? null,
  }
  const requested = await requestOperation(ctx, claim, draft, {
    decideTerms: (tx) => decideTerms(tx, type, payment, request),
    accept: (tx, operation) => accept(ctx, tx, { type, version, returner, ifRefundedMinor }, operation),
    noteLimit: (tx, operation) => noteRefusal(tx, returner, operation),
  })
  return presentRequested(ctx, requested, payment)
}

/** Checks the request against the payment's terms, which never change. @throws AppError validation_failed */
function refuseWrongTerms(payment: Payment, request: MoneyRequest['request']): void {
  const errors: Record<string, string> = {}
  if ('currency' in request && request.currency !== undefined && request.currency !== payment.currency)
    errors.currency = `must be the payment's currency, ${payment.currency}`
  if ('amountMinor' in request && (request.amountMinor ?? 0) > payment.amountMinor)
    errors.amountMinor = `must not be above the payment's amount, ${payment.amountMinor}`
  if (Object.keys(errors).length > 0) throw new AppError('validation_failed', { errors })
}

/**
 * Decides the amount and the attempt under the payment's lock. Without the lock an authorization could come in between, and the
 * provider would be told an amount of zero, which some protocols read as everything.
 * @throws AppError payment_not_eligible when there is no amount yet
 */
async function decideTerms(
  tx: Tx,
  type: MoneyOperation,
  { merchantId, id }: Payment,
  request: MoneyRequest['request'],
): Promise<{ amountMinor: number; attempt: number }> {
  const payment = await lockPayment(tx, merchantId, id)
  if (!payment) throw new AppError('payment_not_found')
  const amountMinor = amountOf(type, payment, request)
  if (amountMinor !== null) return { amountMinor, attempt: payment.ownAttempt }
  const message = whyNotEligible(type, payment, 0, []) ?? `There is no money to ${type}.`
  throw new AppError('payment_not_eligible', { message })
}

/** Returns the requested amount, or the whole one. Null when there is none yet. */
function amountOf(
  type: MoneyOperation,
  payment: AttemptedPayment,
  request: MoneyRequest['request'],
): number | null {
  const requested = 'amountMinor' in request ? request.amountMinor : undefined
  return requested ?? (wholeAmount(type, payment) || null)
}

/** What an operation moves if nobody names an amount, in minor units: what can still be refunded, and what is held. */
export function wholeAmount(type: MoneyOperation, payment: AttemptedPayment): number {
  if (type === 'refund') return leftToRefund(payment)
  return type === 'capture' ? payment.authorizedMinor : payment.capturedMinor || payment.authorizedMinor
}

/**
 * Decides under the payment's lock, and reserves a refund's amount. Without the lock two refunds could both pass this check.
 * @throws AppError payment_not_eligible, refund_limit_reached
 */
async function accept(
  ctx: Context,
  tx: Tx,
  {
    type,
    version,
    returner,
    ifRefundedMinor,
  }: { type: MoneyOperation; returner: Returner | null } & Pick<MoneyRequest, 'version' | 'ifRefundedMinor'>,
  operation: OperationRecord,
): Promise<void> {
  const payment = await lockPayment(tx, operation.merchantId, operation.paymentId ?? '')
  if (!payment) throw new AppError('payment_not_found')
  if (version !== undefined) refuseIfMoved(payment, version)
  if (ifRefundedMinor !== undefined) refuseIfRefunded(payment, ifRefundedMinor)
  const open = await listOpenOperations(tx, payment.merchantId, payment.id, payment.ownAttempt)
  const others = open.filter(({ id }) => id !== operation.id)
  const message = whyNotEligible(type, payment, operation.amountMinor ?? 0, others)
  if (message) throw new AppError('payment_not_eligible', { message })
  const returnsMinor = OPERATION_TABLE[type].returnedBy(payment, operation.amountMinor ?? 0)
  await countReturn(ctx, tx, returner, { payment, amountMinor: returnsMinor, operationId: operation.id })
  if (type === 'refund') await reserveRefund(tx, payment, operation.amountMinor ?? 0)
  if (others.length > 0) {
    const dueAt = new Date(ctx.clock.now().getTime() + RECHECK_WAITING_MS)
    await rescheduleOperation(tx, operation, { dueAt, why: 'waits for another operation on this payment' })
  }
}

/** Refunds that are not decided yet count, also those that wait for a person. @throws AppError payment_not_eligible */
function refuseIfRefunded({ refundedMinor, refundReservedMinor }: Payment, wantedMinor: number): void {
  if (refundedMinor + refundReservedMinor === wantedMinor) return
  throw new AppError('payment_not_eligible', {
    message: translate('en', 'errors.refund.otherSum', {
      wanted: wantedMinor,
      refunded: String(refundedMinor),
      reserved: String(refundReservedMinor),
    }),
    hint: translate('en', 'errors.refund.otherSumHint'),
    refunded: { refundedMinor, pendingRefundMinor: refundReservedMinor },
  })
}

/** Returns why the payment does not allow the operation now; null if it does. */
function whyNotEligible(
  type: MoneyOperation,
  payment: AttemptedPayment,
  amountMinor: number,
  others: OperationRecord[],
): string | null {
  const { from } = OPERATION_TABLE[type]
  if (payment.attempt.underWaySince)
    return `The provider has been working on this payment since ${payment.attempt.underWaySince.toISOString()} and has not decided yet, so there is nothing to ${type}. Ask again once the payment is ${from.join(' or ')}.`
  if (!from.includes(payment.status))
    return `A ${type} needs a payment that is ${from.join(' or ')}; this one is ${payment.status}.`
  // Several refunds may be open at once. A capture or a void needs a payment without any other open operation.
  const blocking = others.find((other) => type !== 'refund' || other.type !== 'refund')
  if (blocking)
    return `The ${blocking.type} ${blocking.id} of this payment has not ended yet (${blocking.status}).`
  if (type === 'capture' && amountMinor > payment.authorizedMinor)
    return `Only ${payment.authorizedMinor} minor units are authorized.`
  return type === 'refund' ? whyTooMuch(payment, amountMinor) : null
}

/** Refunds that are not decided yet count as spent. */
export function leftToRefund(payment: AttemptedPayment): number {
  const { capturedMinor, refundedMinor, refundReservedMinor } = payment
  return Math.max(0, capturedMinor - refundedMinor - refundReservedMinor - disputedOf(payment))
}

function whyTooMuch(payment: AttemptedPayment, amountMinor: number): string | null {
  const { capturedMinor } = payment
  const disputedMinor = disputedOf(payment)
  const left = leftToRefund(payment)
  if (amountMinor <= left) return null
  const disputed = `The buyer disputes ${disputedMinor}, which cannot be refunded until the dispute is decided.`
  return `Only ${left} of ${capturedMinor} captured minor units are left to refund. ${disputedMinor > 0 ? disputed : 'The rest has been refunded or is about to be.'}`
}
