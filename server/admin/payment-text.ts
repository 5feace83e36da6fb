/** Describes a payment with its changes, operations, receipts, events and deliveries. */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { sendingTime } from '../operator/event-history.ts'
import type { OperationRecord } from '../operator/operation-history.ts'
import { operationType } from '../operator/operation-history.ts'
import type {
  Attempt,
  DeliveryRecord,
  ExchangeRecord,
  Timeline,
  TimelineEvent,
} from '../operator/payment-timeline.ts'
import { disputedOf, WITHOUT_EVENT } from '../payments/status.ts'
import type { ReceiverRecord } from '../receivers/receiver.ts'
import { ADMIN } from './command.ts'
import { entriesText } from './entry-text.ts'
import {
  amount,
  counted,
  duration,
  moment,
  momentFrom,
  operationAmount,
  pairs,
  paragraphs,
  plain,
  table,
} from './layout.ts'
import { receiptsText } from './receipt-text.ts'
import { restingLine } from './receiver-text.ts'
import type { Explanation } from './status-text.ts'

const ANSWER_SHOWN_CHARS = 80

export function timelineText(ctx: Context, timeline: Timeline, { why, next }: Explanation): string {
  const { payment, attempts, changes, warnings, operations, events, exchanges, resting } = timeline
  const created = [moment(payment.createdAt), '', 'created', 'request', '']
  const rows = changes.map((change) => [
    moment(change.createdAt),
    change.fromStatus === change.toStatus ? 'again' : '->',
    change.toStatus,
    change.actor ? `${change.cause} (${change.actor})` : change.cause,
    change.detail ?? '',
  ])
  const doubts = warnings.map(({ createdAt, detail, settledBy, settledWhy }) => [
    ...[moment(createdAt), '!', '', 'provider'],
    settledBy ? `${detail} (settled by ${settledBy}: ${settledWhy})` : detail,
  ])
  return paragraphs(
    `${payment.status === 'paid' ? '' : 'Why is this not paid? '}${plain(why)}`,
    next.map((line) => `  ${plain(line)}`).join('\n'),
    head(ctx, timeline),
    `Timeline\n${table(['When', '', 'Status', 'Cause', 'Detail'], [created, ...rows, ...doubts, ...operations.flatMap(returnRows)].sort(byTime))}`,
    entriesText(timeline),
    attempts.length > 1 &&
      `Attempts\n${table(
        ['', 'Route', 'Reference', 'State', 'Captured', 'Refunded'],
        attempts.map((each) => attemptRow(each, payment.currency)),
      )}`,
    operations.length > 0 &&
      `Operations\n${table(['Operation', 'Type', 'Status', 'Amount', 'Reason'], operations.map(operationRow))}`,
    receiptsText(timeline),
    `Events\n${[...events.map((event) => eventText(ctx, event, resting)), ...missingEvents(ctx, timeline)].join('\n')}`,
    exchanges.length > 0 &&
      `Requests to the provider\n${table(['When', 'Request', 'Answer', 'ms'], exchanges.map(exchangeRow))}`,
    resting && events.some(({ state }) => state === 'pending') && restingLine(resting),
  )
}

function attemptRow(attempt: Attempt, currency: CurrencyCode): string[] {
  const { number, provider, reference, state, capturedMinor, refundedMinor } = attempt
  const [captured, refunded] = [capturedMinor, refundedMinor].map((minor) =>
    minor > 0 ? amount(minor, currency) : '',
  )
  return [`${number}.`, provider, reference, state, captured ?? '', refunded ?? '']
}

/** Bodies are in the JSON output only. */
function exchangeRow({ createdAt, method, url, status, failure, durationMs }: ExchangeRecord): string[] {
  const answer = status === null ? (failure ?? '') : [status, failure].filter(Boolean).join(', ')
  return [moment(createdAt), `${method} ${url}`, String(answer), String(durationMs)]
}

/** A return of second money changes no status, so the payment's changes do not show it. */
function returnRows(operation: OperationRecord): string[][] {
  const { id, cause, status, createdAt, updatedAt } = operation
  if (cause !== 'service') return []
  const row = (at: Date, what: string) => [
    moment(at),
    '',
    '',
    cause,
    `${operationType(operation)} (${id}): ${what}`,
  ]
  const requested = row(createdAt, `asked for, ${operationAmount(operation)}`)
  return status === 'queued' ? [requested] : [requested, row(updatedAt, status)]
}

/** Every row begins with a moment, and moments sort as text. */
function byTime([one = '']: string[], [other = '']: string[]): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function operationRow(operation: OperationRecord): string[] {
  const { id, status, statusReason } = operation
  return [id, operationType(operation), status, operationAmount(operation), statusReason ?? '']
}

const line = (label: string, text: unknown): [string, string | null] => [
  label,
  typeof text === 'string' ? text : null,
]

function periodText({ periodStart, periodEnd }: Timeline['payment']): string | null {
  return periodStart && periodEnd && `${moment(periodStart)} to ${moment(periodEnd)}`
}

function head(ctx: Context, { payment, merchantName }: Timeline): string {
  const now = ctx.clock.now()
  const { currency, customer } = payment
  const money = (minor: number) => (minor > 0 ? amount(minor, currency) : null)
  return pairs([
    ['Payment', payment.id],
    ['Status', payment.status],
    ['Version', String(payment.version)],
    ['Amount', amount(payment.amountMinor, currency)],
    ['Authorized', money(payment.authorizedMinor)],
    ['Captured', money(payment.capturedMinor)],
    ['Refunded', money(payment.refundedMinor)],
    ['Disputed', money(disputedOf(payment))],
    ['Fiscal receipt', payment.fiscalStatus === 'not_required' ? null : payment.fiscalStatus],
    ['Order', payment.merchantOrderId],
    ['Description', payment.description],
    ['Product', payment.productId && `${payment.productId} × ${payment.quantity}`],
    ['Period', periodText(payment)],
    ['Merchant', `${merchantName}  ${payment.merchantId}`],
    ['Buyer', customer && [customer.name, customer.email, customer.phone].filter(Boolean).join(', ')],
    ...(payment.productId !== null
      ? [line('Address', payment.metadata?.address), line('Note', payment.metadata?.note)]
      : []),
    ['Route', `${payment.attempt.provider}, reference ${payment.attempt.reference}`],
    ['Created', momentFrom(payment.createdAt, now)],
    ['Changed', momentFrom(payment.updatedAt, now)],
    ['Expires', momentFrom(payment.expiresAt, now)],
    ['Next question', payment.attempt.questionDueAt && momentFrom(payment.attempt.questionDueAt, now)],
  ])
}

/** Every reported change has made an event. If events are missing, their retention time is over. */
function missingEvents(ctx: Context, { changes, events }: Timeline): string[] {
  const reported = changes.filter(({ toStatus }) => !WITHOUT_EVENT.includes(toStatus)).length
  if (reported === 0) return ['  None yet. The first change after the start of the checkout creates one.']
  const removed = reported - events.length
  if (removed <= 0) return []
  const retention = duration(ctx.config.eventRetentionSeconds * 1000)
  return [
    `  ${counted(removed, 'event')} removed, because events are stored for ${retention} (EVENT_RETENTION). It is no longer known whether the receiver accepted them.`,
  ]
}

function eventText(ctx: Context, event: TimelineEvent, resting: ReceiverRecord | null): string {
  const line = `  ${event.sequence}  ${event.status}  ${event.id}: ${stateText(ctx, event, resting)}`
  return [line, ...event.deliveries.map(deliveryText), ...nextSteps(event)].map(plain).join('\n')
}

/** Commands for an event whose delivery has failed. */
function nextSteps({ id, state, deliveries }: TimelineEvent): string[] {
  if (state === 'delivered' || (state !== 'unaddressed' && deliveries.length === 0)) return []
  return [
    `     show every attempt: ${ADMIN} event show --event ${id}`,
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
      return `delivered ${deliveredAt ? moment(deliveredAt) : ''} after ${counted(attempts, 'attempt')}`
    case 'unaddressed':
      return 'not sent, because the merchant has no callback URL'
    case 'exhausted':
      return `given up after ${counted(attempts, 'attempt')}`
    case 'pending':
      return nextAttemptAt
        ? `pending; attempt ${attempts + 1} is due ${momentFrom(sendingTime(nextAttemptAt, resting), ctx.clock.now())}`
        : `pending after ${counted(attempts, 'attempt')}, but not queued`
  }
}

function deliveryText(delivery: DeliveryRecord): string {
  const { attempt, createdAt, url, statusCode, durationMs, failure, responseStart } = delivery
  const answer = responseStart ? `: ${responseStart.slice(0, ANSWER_SHOWN_CHARS)}` : ''
  const outcome =
    statusCode === null ? `failed: ${failure}` : `answered ${statusCode} in ${durationMs} ms${answer}`
  return `     attempt ${attempt}  ${moment(createdAt)}  ${url}  ${outcome}`
}
