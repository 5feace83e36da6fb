/** A payment and its timeline as an operator sees them. */
import type { Context } from '../context.ts'
import { decidesBy } from '../payments/question-schedule.ts'
import { presentPayment } from '../payments/view.ts'
import { presentDelivery } from './event-history.ts'
import { presentOperationRecord } from './operation-history.ts'
import type {
  Attempt,
  AttemptedPayment,
  EntryRecord,
  ExchangeRecord,
  PaymentChangeRecord,
  Timeline,
  TimelineEvent,
} from './payment-timeline.ts'
import { presentReceipt } from './receipt-view.ts'

/** The contract's view with the fields that only an operator sees. The driver's own state and forms are left out. */
export function presentPaymentRecord(ctx: Context, record: AttemptedPayment) {
  const { ok: _, ...session } = presentPayment(ctx, record)
  const { merchantId, description, returnUrl, version, expiresAt, attempt } = record
  const { authorizedMinor, capturedMinor, refundedMinor } = record
  const { reference: providerReference, questionDueAt, questionAttempts, askedAt } = attempt
  const processingUntil = decidesBy(record)
  return {
    ...session,
    merchantId,
    description,
    returnUrl,
    providerReference,
    version,
    expiresAt,
    authorizedMinor,
    capturedMinor,
    refundedMinor,
    questionDueAt,
    questionAttempts,
    askedAt,
    ...(processingUntil && { processingUntil }),
  }
}

export function presentTimeline(ctx: Context, timeline: Timeline) {
  const { payment, merchantName, receiptChanges } = timeline
  return {
    payment: { ...presentPaymentRecord(ctx, payment), merchantName },
    attempts: timeline.attempts.map((attempt) => presentAttempt(attempt, payment)),
    entries: timeline.entries.map((entry) => presentEntry(entry, payment)),
    timeline: timeline.changes.map(presentChange),
    warnings: timeline.warnings.map(({ merchantId: _, paymentId: __, ...warning }) => warning),
    operations: timeline.operations.map(presentOperationRecord),
    receipts: timeline.receipts.map((receipt) => presentReceipt(receipt, receiptChanges)),
    events: timeline.events.map(presentTimelineEvent),
    exchanges: timeline.exchanges.map(presentExchange),
  }
}

/** `own`: its money is the payment's; while no attempt has money, it is the latest one. */
function presentAttempt(attempt: Attempt, payment: AttemptedPayment) {
  return { ...attempt, own: attempt.number === payment.ownAttempt }
}

/** `surplus`: money of an attempt that is not the payment's own. It is outside the payment's sums. */
function presentEntry(entry: EntryRecord, payment: AttemptedPayment) {
  return { ...entry, surplus: entry.attempt !== payment.ownAttempt }
}

function presentExchange(exchange: ExchangeRecord) {
  const { accountId, method, url, status, failure, durationMs, requestBody, responseBody, createdAt } =
    exchange
  return { accountId, method, url, status, failure, durationMs, requestBody, responseBody, createdAt }
}

function presentChange(change: PaymentChangeRecord) {
  const { version, fromStatus, toStatus, cause, actor, detail, createdAt } = change
  return { version, from: fromStatus, to: toStatus, cause, actor, detail, createdAt }
}

function presentTimelineEvent({ id: eventId, deliveries, ...event }: TimelineEvent) {
  const { sequence, status, state, attempts, createdAt, deliveredAt, nextAttemptAt } = event
  return {
    eventId,
    sequence,
    status,
    state,
    attempts,
    createdAt,
    deliveredAt,
    nextAttemptAt,
    deliveries: deliveries.map(presentDelivery),
  }
}
