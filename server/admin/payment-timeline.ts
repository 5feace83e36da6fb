/** A payment with its changes, events and deliveries, as JSON and as text. */
import type { Context } from '../context.ts'
import type { OperationRecord } from '../operator/operation-history.ts'
import type { DeliveryRecord, PaymentRecord, Timeline, TimelineEvent } from '../operator/payment-timeline.ts'
import { WITHOUT_EVENT } from '../payments/status.ts'
import { presentPayment } from '../payments/view.ts'
import type { ReceiverRecord } from '../receivers/receiver.ts'
import { ADMIN } from './command.ts'
import { money, presentOperationRecord } from './commands/operation.ts'
import { amount, counted, duration, moment, momentFrom, pairs, paragraphs, plain, table } from './layout.ts'
import { presentReceipt, receiptsText } from './receipt-text.ts'
import { dueAtReceiver, presentDelivery, restingLine } from './receiver-text.ts'

/** The contract's picture and what only an operator sees. The driver's own state and forms are left out. */
export function presentPaymentRecord(ctx: Context, record: PaymentRecord) {
  const { ok: _, ...session } = presentPayment(ctx, record)
  const { merchantId, description, returnUrl, providerReference, version, expiresAt } = record
  const { authorizedMinor, capturedMinor, refundedMinor, questionDueAt, questionAttempts, askedAt } = record
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
  }
}

export function presentTimeline(ctx: Context, timeline: Timeline) {
  const { payment, merchantName, changes, warnings, operations, events } = timeline
  return {
    payment: { ...presentPaymentRecord(ctx, payment), merchantName },
    timeline: changes.map(({ version, fromStatus, toStatus, cause, actor, detail, createdAt }) => ({
      version,
      from: fromStatus,
      to: toStatus,
      cause,
      actor,
      detail,
      createdAt,
    })),
    warnings: warnings.map(({ detail, createdAt }) => ({ detail, createdAt })),
    operations: operations.map(presentOperationRecord),
    receipts: timeline.receipts.map((receipt) => presentReceipt(receipt, timeline.receiptChanges)),
    events: events.map(
      ({ id, sequence, status, state, attempts, createdAt, deliveredAt, nextAttemptAt, ...rest }) => ({
        eventId: id,
        sequence,
        status,
        state,
        attempts,
        createdAt,
        deliveredAt,
        nextAttemptAt,
        deliveries: rest.deliveries.map(presentDelivery),
      }),
    ),
  }
}

export function timelineText(ctx: Context, timeline: Timeline, why: string): string {
  const { payment, changes, warnings, operations, events, resting } = timeline
  const created = [moment(payment.createdAt), '', 'created', 'request', '']
  const rows = changes.map((change) => [
    moment(change.createdAt),
    change.fromStatus === change.toStatus ? 'again' : '->',
    change.toStatus,
    change.actor ? `${change.cause} (${change.actor})` : change.cause,
    change.detail ?? '',
  ])
  const doubts = warnings.map(({ createdAt, detail }) => [moment(createdAt), '!', '', 'provider', detail])
  return paragraphs(
    `${payment.status === 'paid' ? '' : 'Why is this not paid? '}${plain(why)}`,
    head(ctx, timeline),
    `Timeline\n${table(['When', '', 'Status', 'Cause', 'Detail'], [created, ...rows, ...doubts].sort(byTime))}`,
    operations.length > 0 &&
      `Operations\n${table(['Operation', 'Type', 'Status', 'Amount', 'Because'], operations.map(operationRow))}`,
    receiptsText(timeline),
    `Events\n${[...events.map((event) => eventText(ctx, event, resting)), ...missingEvents(ctx, timeline)].join('\n')}`,
    resting && events.some(({ state }) => state === 'pending') && restingLine(resting),
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
    ['Next question', payment.questionDueAt && momentFrom(payment.questionDueAt, now)],
  ])
}

/** Every change that is told of has made an event; what is not there any more was kept for as long as it is kept. */
function missingEvents(ctx: Context, { changes, events }: Timeline): string[] {
  const told = changes.filter(({ toStatus }) => !WITHOUT_EVENT.includes(toStatus)).length
  if (told === 0) return ['  None yet: the first change after the checkout was handed out makes one.']
  const gone = told - events.length
  if (gone <= 0) return []
  const kept = duration(ctx.config.eventRetentionSeconds * 1000)
  return [
    `  ${counted(gone, 'event')} removed: events are kept for ${kept} (EVENT_RETENTION). Whether they were taken is not known any more.`,
  ]
}

function eventText(ctx: Context, event: TimelineEvent, resting: ReceiverRecord | null): string {
  const line = `  ${event.sequence}  ${event.status}  ${event.id}: ${stateText(ctx, event, resting)}`
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

function stateText(
  ctx: Context,
  { state, attempts, deliveredAt, nextAttemptAt }: TimelineEvent,
  resting: ReceiverRecord | null,
): string {
  switch (state) {
    case 'delivered':
      return `delivered ${deliveredAt ? moment(deliveredAt) : ''} with ${counted(attempts, 'attempt')}`
    case 'unaddressed':
      return 'not sent, because the merchant has no callback URL'
    case 'exhausted':
      return `given up after ${counted(attempts, 'attempt')}`
    case 'pending':
      return nextAttemptAt
        ? `waits; attempt ${attempts + 1} is due ${momentFrom(dueAtReceiver(nextAttemptAt, resting), ctx.clock.now())}`
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
