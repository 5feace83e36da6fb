/** Refunds, captures and voids as a merchant asks for them: may this be done to this payment now, and with how much? */
import type { Context } from '../../context.ts'
import type {
  CreateCaptureRequest,
  CreateRefundRequest,
  CreateVoidRequest,
  OperationResponse,
} from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import type { Tx } from '../../storage/db.ts'
import {
  listOpenOperations,
  type OperationRecord,
  rescheduleOperation,
} from '../../storage/payments/operations.ts'
import {
  findPayment,
  lockPayment,
  type PaymentRecord,
  reserveRefund,
} from '../../storage/payments/payments.ts'
import { fingerprint } from '../idempotency.ts'
import { isMoneyOperation, type MoneyOperation, OPERATION_TABLE } from '../operation.ts'
import { presentRequested, requestOperation } from '../operation-request.ts'

/** One that waits behind another is woken when that one ends; if nobody wakes it, it looks by itself. */
export const WAIT_BEHIND_MS = 60_000

export type MoneyRequest = {
  merchantId: string
  paymentId: string
  idempotencyKey: string
  request: CreateRefundRequest | CreateCaptureRequest | CreateVoidRequest
}

const SCOPES: Record<MoneyOperation, (paymentId: string) => string> = {
  refund: (id) => `POST /v1/payments/${id}/refunds`,
  capture: (id) => `POST /v1/payments/${id}/capture`,
  void: (id) => `POST /v1/payments/${id}/void`,
}

/**
 * Queues a refund, a capture or a void, or replays it.
 * @throws AppError payment_not_found, validation_failed, operation_disabled, operation_not_configured,
 *   payment_not_eligible, idempotency_key_reused
 */
export async function requestMoneyOperation(
  ctx: Context,
  type: MoneyOperation,
  { merchantId, paymentId, idempotencyKey: key, request }: MoneyRequest,
): Promise<OperationResponse> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (!payment) throw new AppError('payment_not_found')
  refuseOtherTerms(payment, request)
  const claim = { merchantId, scope: SCOPES[type](paymentId), key, fingerprint: fingerprint(request) }
  const draft = {
    type,
    provider: payment.provider,
    paymentId,
    currency: payment.currency,
    amountMinor: amountOf(type, payment, request),
    reason: request.reason ?? null,
    metadata: request.metadata ?? null,
  }
  const requested = await requestOperation(ctx, claim, draft, (tx, operation) =>
    accept(ctx, tx, type, operation),
  )
  return presentRequested(ctx, requested, payment)
}

/** What can be told from the request and the payment's terms, which never change. @throws AppError validation_failed */
function refuseOtherTerms(payment: PaymentRecord, request: MoneyRequest['request']): void {
  const errors: Record<string, string> = {}
  if ('currency' in request && request.currency !== undefined && request.currency !== payment.currency)
    errors.currency = `must be the payment's currency, ${payment.currency}`
  if ('amountMinor' in request && (request.amountMinor ?? 0) > payment.amountMinor)
    errors.amountMinor = `must not be above the payment's amount, ${payment.amountMinor}`
  if (Object.keys(errors).length > 0) throw new AppError('validation_failed', { errors })
}

/** Null where there is nothing yet that could be captured or voided: then it is refused further on. */
function amountOf(
  type: MoneyOperation,
  payment: PaymentRecord,
  request: MoneyRequest['request'],
): number | null {
  const asked = 'amountMinor' in request ? request.amountMinor : undefined
  if (asked !== undefined) return asked
  return (
    (type === 'capture' ? payment.authorizedMinor : payment.capturedMinor || payment.authorizedMinor) || null
  )
}

/** Decides under the payment's lock, and sets aside what a refund may take. @throws AppError payment_not_eligible */
async function accept(ctx: Context, tx: Tx, type: MoneyOperation, operation: OperationRecord): Promise<void> {
  const payment = await lockPayment(tx, operation.merchantId, operation.paymentId ?? '')
  if (!payment) throw new AppError('payment_not_found')
  const others = (await listOpenOperations(tx, payment.merchantId, payment.id)).filter(
    (each) => each.id !== operation.id && isMoneyOperation(each.type),
  )
  const problem = problemOf(type, payment, operation.amountMinor ?? 0, others)
  if (problem) throw new AppError('payment_not_eligible', { message: problem })
  if (type === 'refund') await reserveRefund(tx, payment, operation.amountMinor ?? 0)
  if (others.length > 0) {
    const dueAt = new Date(ctx.clock.now().getTime() + WAIT_BEHIND_MS)
    await rescheduleOperation(tx, operation, { dueAt, why: 'waits for another operation on this payment' })
  }
}

/** Why it cannot be done to the payment as it is now; null if it can. */
export function problemOf(
  type: MoneyOperation,
  payment: PaymentRecord,
  amountMinor: number,
  others: OperationRecord[],
): string | null {
  const { from } = OPERATION_TABLE[type]
  if (!from.includes(payment.status))
    return `A ${type} needs a payment that is ${from.join(' or ')}; this one is ${payment.status}.`
  // Refunds stand beside each other; everything else wants the payment for itself.
  const inTheWay = others.find((other) => type !== 'refund' || other.type !== 'refund')
  if (inTheWay) return `The ${inTheWay.type} ${inTheWay.id} of this payment is not over (${inTheWay.status}).`
  if (type === 'capture' && amountMinor > payment.authorizedMinor)
    return `Only ${payment.authorizedMinor} minor units are held.`
  const left = payment.capturedMinor - payment.refundedMinor - payment.refundReservedMinor
  if (type === 'refund' && amountMinor > left)
    return `Only ${left} of ${payment.capturedMinor} captured minor units are left: the rest has been refunded or is about to be.`
  return null
}
