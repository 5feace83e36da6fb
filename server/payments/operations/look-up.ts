/** A merchant looks an operation up, or waits for it. */
import type { Context } from '../../context.ts'
import type { OperationResponse, PaymentOperation } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { presentOperation } from '../operation.ts'
import { presentPayment } from '../view.ts'
import { waitUntilDecided } from './waits.ts'

/** @throws AppError operation_not_found, also for an operation of another merchant */
export async function lookUpOperation(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
  id: string,
): Promise<PaymentOperation> {
  const operation = await findOperation(db, merchantId, id)
  if (!operation) throw new AppError('operation_not_found')
  return presentOperation(operation)
}

const UNDECIDED: readonly PaymentOperation['status'][] = ['queued', 'processing']

/**
 * Waits for the operation of a response, and returns the response as it is then, also if the process ends meanwhile. `isKept`: false if
 * the request could not wait as long as it wanted to.
 */
export async function waitForResponse(
  ctx: Context,
  merchantId: string,
  answer: OperationResponse,
  wait: { ms: number; gone: AbortSignal },
): Promise<{ answer: OperationResponse; isKept: boolean }> {
  const { id, status } = answer.operation
  if (wait.ms === 0 || !UNDECIDED.includes(status)) return { answer, isKept: true }
  const how = await waitUntilDecided(ctx, { merchantId, id }, wait)
  const isKept = how === 'kept'
  if (how === 'refused' || wait.gone.aborted) return { answer, isKept }
  const payment = answer.payment && (await findPayment(ctx.db, merchantId, answer.payment.id))
  return {
    answer: {
      ...answer,
      operation: await lookUpOperation(ctx, merchantId, id),
      ...(payment && { payment: presentPayment(ctx, payment) }),
    },
    isKept,
  }
}
