/** An operator refunds, captures, voids or cancels a payment in the merchant's place: through the same verb as the API. */
import { refuseCardData } from '../../card-number/card-data.ts'
import type { Context } from '../../context.ts'
import type { CancelPaymentResponse, OperationResponse } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { isReturnedByHand } from '../../payments/decisions/returned.ts'
import { isRefusedCall, type MoneyOperation } from '../../payments/operation.ts'
import { presentRequested } from '../../payments/operation-request.ts'
import { cancelPayment } from '../../payments/operations/cancel.ts'
import { requestMoneyOperation, SCOPES, wholeAmount } from '../../payments/operations/money.ts'
import type { Returner } from '../../payments/return-limits.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { getPayment } from '../payment-timeline.ts'
import { findKnown, keyFor } from './key.ts'

type MoneyAct = {
  paymentId: string
  /** In minor units. Absent: all that is held, or all that can still be refunded. */
  amountMinor?: number | undefined
  /** Absent: derived, so that the same act is done once. */
  key?: string | undefined
  why?: string | null | undefined
  /** The payment's version that the operator saw. */
  version?: number | undefined
}

export type MoneyActed = OperationResponse & { key: string }

type BoundMoneyAct = MoneyAct & { key: string }

/** `known`: the operation that the key has made already. */
type Planned = { payment: AttemptedPayment; args: BoundMoneyAct; known: OperationRecord | null }

/**
 * Decides the key and the amount, once for each decision of a person.
 * @throws AppError payment_not_found; validation_failed if the key has another amount; payment_not_eligible for a refund that only a
 *   person can make
 */
export async function planMoneyAct(ctx: Context, type: MoneyOperation, given: MoneyAct): Promise<Planned> {
  const payment = await getPayment(ctx, given.paymentId)
  if (type === 'refund' && (await isReturnedByHand(ctx, payment)))
    throw new AppError('payment_not_eligible', {
      message:
        'No provider can return this money. Transfer it back from the bank account on which it arrived.',
      next: [{ act: 'note_return', paymentId: payment.id }],
    })
  const of = { merchantId: payment.merchantId, scope: SCOPES[type](payment.id) }
  const { key, known } = await findKey(ctx, of, type, given)
  const isAccepted = known !== null && !isRefusedCall(known.status)
  if (isAccepted) expectSameAmount(type, key, known, given.amountMinor)
  const made = isAccepted ? known : null
  const chosen = given.amountMinor ?? made?.amountMinor ?? (wholeAmount(type, payment) || undefined)
  const amountMinor = type === 'void' ? undefined : chosen
  const why = made?.reason ?? given.why ?? null
  return { payment, known: made, args: { ...given, key, amountMinor, why } }
}

/** @throws AppError validation_failed if the key belongs to another amount than the one that was asked for */
function expectSameAmount(
  type: MoneyOperation,
  key: string,
  known: OperationRecord,
  amountMinor: number | undefined,
): void {
  if (amountMinor === undefined || amountMinor === known.amountMinor) return
  throw new AppError('validation_failed', {
    message: `The key "${key}" belongs to the ${type} ${known.id} of ${known.amountMinor} minor units. Give another key, or the same amount.`,
  })
}

async function findKey(
  ctx: Context,
  of: { merchantId: string; scope: string },
  type: MoneyOperation,
  { key, amountMinor }: MoneyAct,
): Promise<{ key: string; known: OperationRecord | null }> {
  if (key !== undefined) return { key, known: await findKnown(ctx, of, key) }
  // After a failure nothing has moved, so the same command is a new act.
  return keyFor(ctx, of, `${type} ${amountMinor ?? 'all'}`, ({ status }) => status !== 'failed')
}

/** Plans it and asks for it. @throws AppError those of `planMoneyAct` and `requestPlanned` */
export async function actOnMoney(
  ctx: Context,
  type: MoneyOperation,
  given: MoneyAct,
  by: string,
  returner?: Returner,
): Promise<MoneyActed> {
  const { args } = await planMoneyAct(ctx, type, given)
  return requestPlanned(ctx, type, args, by, returner)
}

/**
 * `returner`: whose limits it counts against.
 * @throws AppError those of requestMoneyOperation; validation_failed if the key has another amount; payment_not_eligible if the payment
 *   has another version than the operator saw
 */
export async function requestPlanned(
  ctx: Context,
  type: MoneyOperation,
  { paymentId, key, amountMinor, why, version }: BoundMoneyAct,
  by: string,
  returner?: Returner,
): Promise<MoneyActed> {
  refuseCardData({ key }, 'command')
  const payment = await getPayment(ctx, paymentId)
  const request = { ...(amountMinor !== undefined && { amountMinor }), ...(why && { reason: why }) }
  const of = { merchantId: payment.merchantId, paymentId: payment.id, idempotencyKey: key }
  const planned = { ...of, by, version, returner }
  try {
    return { ...(await requestMoneyOperation(ctx, type, { ...planned, request })), key }
  } catch (error) {
    // An earlier version asked without an amount and stored it so, and the reason may be another one. The key is the same act.
    const isReused = error instanceof AppError && error.code === 'idempotency_key_reused'
    const scope = { merchantId: payment.merchantId, scope: SCOPES[type](payment.id) }
    const known = isReused ? await findKnown(ctx, scope, key) : null
    if (!known) throw error
    expectSameAmount(type, key, known, amountMinor)
    return { ...(await presentRequested(ctx, { operation: known, created: false }, payment)), key }
  }
}

/** Repeating it changes nothing. @throws AppError those of cancelPayment */
export async function cancelFor(
  ctx: Context,
  { paymentId, why }: { paymentId: string; why: string },
  by: string,
): Promise<CancelPaymentResponse> {
  const { merchantId } = await getPayment(ctx, paymentId)
  // A payment is cancelled once, so the first reason stays.
  const asker = { merchantId, idempotencyKey: `cancel ${why}`.slice(0, 160), by }
  return cancelPayment(ctx, { ...asker, paymentId, request: { reason: why } })
}
