/** Payments for an operator: one page of payments, and one payment with everything that happened to it. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { listRestingReceivers, type ReceiverRecord } from '../receivers/receiver.ts'
import {
  type DeliveryRecord,
  type EventRecord,
  listPaymentDeliveries,
  listPaymentEvents,
} from '../storage/events/events.ts'
import { type ExchangeRecord, listExchanges } from '../storage/exchanges.ts'
import type { Attempt } from '../storage/payments/attempt.ts'
import { listAttempts } from '../storage/payments/attempt-orders.ts'
import { type EntryRecord, listEntries } from '../storage/payments/entries.ts'
import { listPaymentOperations, type OperationRecord } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { listPaymentChanges, type PaymentChangeRecord } from '../storage/payments/payment-changes.ts'
import {
  listPaymentWarnings,
  type PaymentWarningRecord,
  type Settling,
} from '../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { listReceiptChanges, type ReceiptChangeRecord } from '../storage/payments/receipt-changes.ts'
import { listReceipts, type ReceiptRecord } from '../storage/payments/receipts.ts'
import { lookFor, type Page, type PaymentListFilter } from './finding/list.ts'

export type {
  Attempt,
  AttemptedPayment,
  DeliveryRecord,
  EntryRecord,
  ExchangeRecord,
  PaymentChangeRecord,
  ReceiptChangeRecord,
  ReceiptRecord,
}

const EXCHANGES_SHOWN_MAX = 20

export type TimelineEvent = EventRecord & {
  /** The attempts, oldest first. */
  deliveries: DeliveryRecord[]
  /** The time of the next attempt, unless the receiver rests. Null if no attempt is due. */
  nextAttemptAt: Date | null
}

export type Timeline = {
  payment: AttemptedPayment
  merchantName: string
  /** The orders that were opened for the payment at providers, the first one first. */
  attempts: Attempt[]
  changes: PaymentChangeRecord[]
  /** Every movement of the payment's money, the first one first. */
  entries: EntryRecord[]
  /** Reports of the provider that contradict the payment. They did not change its status. */
  warnings: (PaymentWarningRecord & Settling)[]
  operations: OperationRecord[]
  receipts: ReceiptRecord[]
  receiptChanges: ReceiptChangeRecord[]
  events: TimelineEvent[]
  /** What was last said between us and the provider, the oldest first. Kept for EXCHANGE_RETENTION. */
  exchanges: ExchangeRecord[]
  /** The merchant's receiver, if it rests or is paused. Due events wait for it. */
  resting: ReceiverRecord | null
}

/** Reads only stored data. It does not ask the provider, so it never changes a payment. @throws AppError payment_not_found */
export async function getTimeline(
  ctx: Context,
  paymentId: string,
  exchangesMax = EXCHANGES_SHOWN_MAX,
): Promise<Timeline> {
  const payment = await getPayment(ctx, paymentId)
  const { merchantId } = payment
  const [
    merchant,
    changes,
    warnings,
    operations,
    receipts,
    receiptChanges,
    events,
    deliveries,
    receivers,
    exchanges,
    attempts,
    entries,
  ] = await Promise.all([
    getMerchant(ctx, merchantId),
    listPaymentChanges(ctx.db, merchantId, paymentId),
    listPaymentWarnings(ctx.db, merchantId, paymentId),
    listPaymentOperations(ctx.db, merchantId, paymentId),
    listReceipts(ctx.db, merchantId, paymentId),
    listReceiptChanges(ctx.db, merchantId, paymentId),
    listPaymentEvents(ctx.db, merchantId, paymentId),
    listPaymentDeliveries(ctx.db, merchantId, paymentId),
    listRestingReceivers(ctx, [merchantId]),
    listExchanges(ctx.db, paymentId, exchangesMax),
    listAttempts(ctx.db, payment),
    listEntries(ctx.db, payment),
  ])
  return {
    payment,
    merchantName: merchant.name,
    attempts,
    changes,
    entries,
    warnings,
    exchanges,
    operations,
    receipts,
    receiptChanges,
    events: events.map((event) => ({
      ...event,
      deliveries: deliveries.filter((delivery) => delivery.eventId === event.id),
      nextAttemptAt: event.dueAt,
    })),
    resting: receivers[0] ?? null,
  }
}

/**
 * Newest first. `after`: the last id of the previous page.
 * @throws AppError payment_not_found for an unknown `after`, not_found for an unknown merchant
 */
export async function listPaymentPage(ctx: Context, wanted: PaymentListFilter): Promise<Page> {
  const { merchantId, after } = wanted
  if (typeof merchantId === 'string') await getMerchant(ctx, merchantId)
  if (typeof after === 'string') await getPayment(ctx, after)
  return lookFor(ctx, wanted)
}

/** @throws AppError payment_not_found */
export async function getPayment(ctx: Context, paymentId: string): Promise<AttemptedPayment> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (payment) return payment
  throw new AppError('payment_not_found', {
    message: `There is no payment ${paymentId}.`,
    next: [{ act: 'list_payments' }],
  })
}
