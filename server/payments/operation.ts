/**
 * The table of guarded operations. It says what each operation needs, what it does to a payment, and how the provider's amounts
 * prove its outcome. Below it is the table of an operation's statuses. The database has the same table (operation_transitions),
 * and a test compares the two.
 */
import type { Context } from '../context.ts'
import type { CapabilityName } from '../contract/capability.ts'
import type { OperationStatus, OperationType, PaymentOperation } from '../contract/operation.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { AppError } from '../errors.ts'
import type { Snapshot } from '../providers/driver.ts'
import {
  listOpenOperations,
  listPaymentOperations,
  type OperationRecord,
} from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPayment, findPaymentAttempt } from '../storage/payments/payments.ts'
import { statusOf } from './derived-status.ts'
import { findNamed, type RefundName, writeNameOf } from './named-refund.ts'

/**
 * Who decided, and why; null if they gave no reason. `version`: the payment's version that the person saw. Without it, the decision
 * is about the payment as it is when the decision begins.
 */
export type Decision = { actor: string; why: string | null; version?: number | undefined }

/**
 * The outcome of a write by the provider's amounts. `done`: they changed as requested. `pending`: the provider is still working
 * on the write. `undone`: they are the same as before the write. `unclear`: they changed, but not as requested.
 * `done_by_key` and `failed_by_key`: the provider names the write by our key, so its amounts are not needed.
 */
export type WriteOutcome = 'done' | 'pending' | 'undone' | 'unclear' | 'done_by_key' | 'failed_by_key'

type Amounts = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>

/** The table row of a money operation. */
export type MoneyRow = {
  capability: CapabilityName
  /** The payment statuses that allow the operation. */
  from: readonly PaymentStatus[]
  /** The driver's method. */
  method: 'refund' | 'capture' | 'void'
  /** The amount that goes back to the buyer, or is released, if this amount is moved. It counts against the limits of the caller. */
  returnedBy(payment: Amounts, amountMinor: number): number
  /** Compares the provider's amounts before and after the write, and returns the outcome. */
  prove(before: Snapshot, after: Snapshot, write: { amountMinor: number } & RefundName): WriteOutcome
  /** Returns the payment's status and amounts after the operation is done. */
  effect(before: Amounts, amountMinor: number): { to: PaymentStatus; money: Amounts }
}

const BY_KEY = { done: 'done_by_key', pending: 'pending', failed: 'failed_by_key' } as const

const REFUND: MoneyRow = {
  capability: 'refund',
  // The disputed part cannot be refunded, but the rest can.
  from: ['paid', 'partially_refunded', 'disputed'],
  method: 'refund',
  returnedBy: (_payment, amountMinor) => amountMinor,
  prove(before, after, { amountMinor, ...name }) {
    // A refund that somebody makes at the provider meanwhile moves the amounts too. A name cannot be mistaken.
    if (after.refunds) {
      const [named, ...more] = findNamed(after.refunds, name)
      if (!named) return 'undone'
      return [named, ...more].some((each) => each.amountMinor === amountMinor)
        ? BY_KEY[named.state]
        : 'unclear'
    }
    const moved = after.refundedMinor - before.refundedMinor
    if (moved > 0 && moved === amountMinor) return 'done'
    if (moved !== 0) return 'unclear'
    return (after.refundPendingMinor ?? 0) > 0 ? 'pending' : 'undone'
  },
  effect(before, amountMinor) {
    const refundedMinor = before.refundedMinor + amountMinor
    const to = refundedMinor === before.capturedMinor ? 'refunded' : 'partially_refunded'
    return { to, money: { ...before, refundedMinor } }
  },
}

const CAPTURE: MoneyRow = {
  capability: 'capture',
  from: ['authorized'],
  method: 'capture',
  // A capture releases the rest of the hold.
  returnedBy: ({ authorizedMinor }, amountMinor) => Math.max(0, authorizedMinor - amountMinor),
  prove(_before, after, { amountMinor, ...name }) {
    const [named] = findNamed(after.captures ?? [], name)
    if (named) return named.amountMinor === amountMinor ? BY_KEY[named.state] : 'unclear'
    if (after.capturedMinor > 0 && after.capturedMinor === amountMinor) return 'done'
    return statusOf(after) === 'authorized' ? 'undone' : 'unclear'
  },
  effect: (before, amountMinor) => ({ to: 'paid', money: { ...before, capturedMinor: amountMinor } }),
}

const VOID: MoneyRow = {
  capability: 'void',
  from: ['authorized', 'paid'],
  method: 'void',
  returnedBy: ({ authorizedMinor, capturedMinor, refundedMinor }) =>
    capturedMinor > 0 ? capturedMinor - refundedMinor : authorizedMinor,
  prove(before, after) {
    // What a buyer won in a dispute is gone too, but not by this write.
    if (statusOf(after) === 'reversed') return (after.disputeLostMinor ?? 0) > 0 ? 'unclear' : 'done'
    return statusOf(after) === statusOf(before) && after.refundedMinor === before.refundedMinor
      ? 'undone'
      : 'unclear'
  },
  effect: (before) => ({ to: 'reversed', money: { ...before, authorizedMinor: 0, capturedMinor: 0 } }),
}

export const OPERATION_TABLE = {
  refund: REFUND,
  capture: CAPTURE,
  void: VOID,
  fiscal_retry: { capability: 'fiscalization' },
  tokenization_intent: { capability: 'tokenization' },
  token_revoke: { capability: 'tokenization' },
  subscription_create: { capability: 'subscriptions' },
  subscription_cancel: { capability: 'subscriptions' },
} as const satisfies Record<OperationType, MoneyRow | { capability: CapabilityName }>

/**
 * Returns how much can still be refunded by the provider's amounts: what is not returned, not about to be, and not disputed. The
 * provider may count money as refunded and as lost in a dispute, so the rest may be less than nothing. Then it is 0.
 */
export function refundableMinor(snapshot: Snapshot): number {
  const { capturedMinor, refundedMinor, refundPendingMinor = 0, disputeLostMinor = 0, dispute } = snapshot
  const leftMinor = capturedMinor - refundedMinor - refundPendingMinor - disputeLostMinor
  return Math.max(0, leftMinor - (dispute?.amountMinor ?? 0))
}

export const MONEY_OPERATIONS = ['refund', 'capture', 'void'] as const satisfies OperationType[]
export type MoneyOperation = (typeof MONEY_OPERATIONS)[number]

export function isMoneyOperation(type: OperationType): type is MoneyOperation {
  return MONEY_OPERATIONS.some((each) => each === type)
}

export const OPERATION_MOVES = {
  blocked: ['blocked', 'requires_provider_contract', 'queued'],
  requires_provider_contract: ['requires_provider_contract', 'blocked', 'queued'],
  queued: ['processing', 'failed'],
  processing: ['succeeded', 'failed', 'requires_operator_review'],
  // An operator decides.
  requires_operator_review: ['succeeded', 'failed'],
  // Only a refund that the provider reports as failed after all.
  succeeded: ['failed'],
  failed: [],
} as const satisfies Record<OperationStatus, readonly OperationStatus[]>

export function canOperationMove(from: OperationStatus, to: OperationStatus): boolean {
  const targets: readonly OperationStatus[] = OPERATION_MOVES[from]
  return targets.includes(to)
}

/** Returns whether the request was rejected for its route. Its key is free. */
export function isRefusedCall(status: OperationStatus): boolean {
  return status === 'blocked' || status === 'requires_provider_contract'
}

/** Returns whether the operation has ended. */
export function isEnded(status: OperationStatus): boolean {
  return status === 'succeeded' || status === 'failed'
}

/** The contract's PaymentOperation. */
export function presentOperation(record: OperationRecord): PaymentOperation {
  const { id, paymentId, type, provider, providerOperationId, status, amountMinor, currency } = record
  return {
    id,
    type,
    provider,
    status,
    ...(paymentId !== null && { paymentSessionId: paymentId }),
    ...(providerOperationId !== null && { providerOperationId }),
    ...(amountMinor !== null && { amountMinor }),
    ...(currency !== null && { currency }),
    ...(record.statusReason !== null && { statusReason: record.statusReason }),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}

/** Returns the payment with the attempt whose money the operation moves. Null for an operation that is about no payment. */
export async function findPaymentOf(
  { db }: Pick<Context, 'db'>,
  { merchantId, paymentId, attempt }: OperationRecord,
): Promise<AttemptedPayment | null> {
  if (paymentId === null) return null
  if (attempt === null) return findPayment(db, merchantId, paymentId)
  return findPaymentAttempt(db, { merchantId, paymentId, number: attempt })
}

/** Returns the amount of the latest capture that was sent to the provider, unless it failed. Null if there is none. */
export async function findSentCapture(
  ctx: Context,
  { merchantId, id, attempt }: AttemptedPayment,
): Promise<number | null> {
  const sent = (await listPaymentOperations(ctx.db, merchantId, id, attempt.number)).findLast(
    ({ type, status, sentAt }) => type === 'capture' && status !== 'failed' && sentAt !== null,
  )
  return sent?.amountMinor ?? null
}

type Now = Pick<AttemptedPayment, 'id' | 'status' | 'version'>

/**
 * A decision is stored only if the payment is still as the person saw it.
 * @throws AppError payment_not_eligible when the payment has another version than `version`
 */
export function refuseIfMoved(now: Now, version: number): void {
  if (now.version !== version) throw movedMeanwhile(now)
}

/** Returns the refusal of a decision about an earlier state of the payment. */
export function movedMeanwhile({ id: paymentId, status, version }: Now): AppError {
  return new AppError('payment_not_eligible', {
    message: `The payment has changed in the meantime: it is ${status} now (version ${version}). Your decision was not stored. Look at the payment, and decide again.`,
    next: [{ act: 'show_payment', paymentId }],
  })
}

/**
 * Returns the operation of ours that the provider's answer shows as done, before its worker has read that; null if there is none. There
 * is never more than one: an operation of an attempt is not started before the one before it has ended (`startIfNext`).
 */
export async function findCause(
  { db }: Pick<Context, 'db'>,
  { merchantId, id, status, attempt: { number } }: AttemptedPayment,
  snapshot: Snapshot,
): Promise<OperationRecord | null> {
  if (!WITH_OPERATIONS.includes(status)) return null
  const open = await listOpenOperations(db, merchantId, id, number)
  return open.find((operation) => operation.sentAt !== null && isShown(operation, snapshot)) ?? null
}

const WITH_OPERATIONS: readonly PaymentStatus[] = MONEY_OPERATIONS.flatMap((type) => [
  ...OPERATION_TABLE[type].from,
])

function isShown(operation: OperationRecord, snapshot: Snapshot): boolean {
  const { type, before, amountMinor } = operation
  if (!isMoneyOperation(type) || !before || amountMinor === null) return false
  const write = { amountMinor, ...writeNameOf(operation) }
  return ['done', 'done_by_key'].includes(OPERATION_TABLE[type].prove(before as Snapshot, snapshot, write))
}
