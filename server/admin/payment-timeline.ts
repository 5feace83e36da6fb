/** A payment with its changes, events and deliveries, as JSON and as text. */
import type { Context } from '../context.ts'
import type { OperationRecord } from '../payments/operation-history.ts'
import type { DeliveryRecord, PaymentRecord, Timeline, TimelineEvent } from '../payments/timeline.ts'
import { presentPayment } from '../payments/view.ts'
import { ADMIN } from './command.ts'
import { amount, counted, moment, momentFrom, pairs, paragraphs, plain, table } from './layout.ts'
import { money, presentOperationRecord } from './operation.ts'
import { presentReceipt, receiptsText } from './receipt-text.ts'

/** The contract's picture and what only an operator sees. The driver's own state and forms are left out. */
export function presentPaymentRecord(ctx: Context, record: PaymentRecord) {
  const { ok: _, ...session } = presentPayment(ctx, record)
  const { merchantId, description, returnUrl, providerReference, version, expiresAt } = record
  const { authorizedMinor, capturedMinor, refundedMinor, syncDueAt, syncAttempts, syncedAt } = record
  return {
    ...session,
    ...{ merchantId, description, returnUrl, providerReference, version, expiresAt },
    ...{ authorizedMinor, capturedMinor, refundedMinor, syncDueAt, syncAttempts, syncedAt },
  }
}

export function presentTimeline(ctx: Context, timeline: Timeline) {
  const { payment, merchantName, changes, warnings, operations, events } = timeline
  return {
    payment: { ...presentPaymentRecord(ctx, payment), merchantName },
    timeline: changes.map(({ version, fromStatus, toStatus, cause, actor, detail, createdAt }) => ({
      ...{ version, from: fromStatus, to: toStatus, cause, actor, detail, createdAt },
    })),
    warnings: warnings.map(({ detail, createdAt }) => ({ detail, createdAt })),
    operations: operations.map(presentOperationRecord),
    receipts: timeline.receipts.map((receipt) => presentReceipt(receipt, timeline.receiptChanges)),
    events: events.map(
      ({ id, sequence, status, state, attempts, createdAt, deliveredAt, nextAttemptAt, ...rest }) => ({
        ...{ eventId: id, sequence, status, state, attempts, createdAt, deliveredAt, nextAttemptAt },
        deliveries: rest.deliveries.map(presentDelivery),
      }),
    ),
  }
}

export function presentDelivery(delivery: DeliveryRecord) {
  const { attempt, url, statusCode, durationMs, failure, answerStart, createdAt } = delivery
  return { attempt, url, statusCode, durationMs, failure, answerStart, createdAt }
}

export function timelineText(ctx: Context, timeline: Timeline, why: string): string {
  const { payment, changes, warnings, operations, events } = timeline
  const created = [moment(payment.createdAt), '', 'created', 'request', '']
  const rows = changes.map((change) => [
    moment(change.createdAt),
    change.fromStatus === change.toStatus ? 'again' : '->',
    ...[
      change.toStatus,
      change.actor ? `${change.cause} (${change.actor})` : change.cause,
      change.detail ?? '',
    ],
  ])
  const doubts = warnings.map(({ createdAt, detail }) => [moment(createdAt), '!', '', 'provider', detail])
  return paragraphs(
    `${payment.status === 'paid' ? '' : 'Why is this not paid? '}${plain(why)}`,
    head(ctx, timeline),
    `Timeline\n${table(['When', '', 'Status', 'Cause', 'Detail'], [created, ...rows, ...doubts].sort(byTime))}`,
    operations.length > 0 &&
      `Operations\n${table(['Operation', 'Type', 'Status', 'Amount', 'Because'], operations.map(operationRow))}`,
    receiptsText(timeline),
    events.length > 0
      ? `Events\n${events.map((event) => eventText(ctx, event)).join('\n')}`
      : 'Events\n  None yet: the first change after the checkout was handed out makes one.',
  )
}

/** Rows begin with a moment, which sorts. */
function byTime([one = '']: string[], [other = '']: string[]): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function operationRow(operation: OperationRecord): string[] {
  return [operation.id, operation.type, operation.status, money(operation), operation.statusReason ?? '']
}

function head(ctx: Context, { payment, merchantName }: Timeline): string {
  const now = ctx.clock.now()
  const { currency, customer } = payment
  const money = (minor: number) => (minor > 0 ? amount(minor, currency) : null)
  return pairs([
    ['Payment', payment.id],
    ['Status', payment.status],
    ['Amount', amount(payment.amountMinor, currency)],
    ['Authorized', money(payment.authorizedMinor)],
    ['Captured', money(payment.capturedMinor)],
    ['Refunded', money(payment.refundedMinor)],
    ['Fiscal receipt', payment.fiscalStatus === 'not_required' ? null : payment.fiscalStatus],
    ['Order', payment.merchantOrderId],
    ['For', payment.description],
    ['Merchant', `${merchantName}  ${payment.merchantId}`],
    ['Buyer', customer && [customer.name, customer.email, customer.phone].filter(Boolean).join(', ')],
    ['Route', `${payment.provider}, reference ${payment.providerReference}`],
    ['Created', momentFrom(payment.createdAt, now)],
    ['Changed', momentFrom(payment.updatedAt, now)],
    ['Expires', momentFrom(payment.expiresAt, now)],
    ['Next question', payment.syncDueAt && momentFrom(payment.syncDueAt, now)],
  ])
}

function eventText(ctx: Context, event: TimelineEvent): string {
  const line = `  ${event.sequence}  ${event.status}  ${event.id}: ${stateText(ctx, event)}`
  return [line, ...event.deliveries.map(deliveryText), ...nextSteps(event)].map(plain).join('\n')
}

/** Where to look, and what to do, once an attempt has failed. */
function nextSteps({ id, state, deliveries }: TimelineEvent): string[] {
  if (state === 'delivered' || (state !== 'unaddressed' && deliveries.length === 0)) return []
  return [
    `     the whole story: ${ADMIN} event show --event ${id}`,
    `     send it now: ${ADMIN} event replay --event ${id}`,
  ]
}

function stateText(ctx: Context, { state, attempts, deliveredAt, nextAttemptAt }: TimelineEvent): string {
  switch (state) {
    case 'delivered':
      return `delivered ${deliveredAt ? moment(deliveredAt) : ''} with ${counted(attempts, 'attempt')}`
    case 'unaddressed':
      return 'not sent, because the merchant has no callback URL'
    case 'exhausted':
      return `given up after ${counted(attempts, 'attempt')}`
    case 'pending':
      return nextAttemptAt
        ? `waits; attempt ${attempts + 1} is due ${momentFrom(nextAttemptAt, ctx.clock.now())}`
        : `waits after ${counted(attempts, 'attempt')}, but is not queued`
  }
}

function deliveryText({
  attempt,
  createdAt,
  url,
  statusCode,
  durationMs,
  failure,
  answerStart,
}: DeliveryRecord): string {
  const answer = answerStart ? `: ${answerStart.slice(0, 80)}` : ''
  const outcome =
    statusCode === null ? `failed: ${failure}` : `answered ${statusCode} in ${durationMs} ms${answer}`
  return `     attempt ${attempt}  ${moment(createdAt)}  ${url}  ${outcome}`
}
