/** An event with its attempts, as JSON and as text. */
import type { Context } from '../context.ts'
import type { EventDetail, EventSummary } from '../operator/event-history.ts'
import { ADMIN } from './command.ts'
import { counted, moment, momentFrom, pairs, paragraphs, plain, table } from './layout.ts'
import { presentDelivery, presentReceiver, receiverText } from './receiver-text.ts'

export function presentEventSummary({ id: eventId, dueAt: nextAttemptAt, ...rest }: EventSummary) {
  return { eventId, ...rest, nextAttemptAt }
}

/** `body` is the exact text that every attempt sends. */
export function presentEvent({ event: { body, ...summary }, deliveries, receiver }: EventDetail) {
  const attempts = deliveries.map(presentDelivery)
  return { ...presentEventSummary(summary), body, deliveries: attempts, receiver: presentReceiver(receiver) }
}

export function eventText(ctx: Context, { event, deliveries, receiver }: EventDetail): string {
  const now = ctx.clock.now()
  const rows = deliveries.map(({ attempt, createdAt, url, statusCode, durationMs, failure, answerStart }) => [
    String(attempt),
    moment(createdAt),
    statusCode === null ? 'none' : String(statusCode),
    `${durationMs} ms`,
    url,
    failure ?? answerStart?.slice(0, 120) ?? '',
  ])
  return paragraphs(
    pairs([
      ['Event', event.id],
      ['Says', `${event.status} (change ${event.sequence} of its payment)`],
      ['Payment', event.paymentId],
      ['Order', event.merchantOrderId],
      ['Merchant', event.merchantId],
      ['Created', momentFrom(event.createdAt, now)],
      ['State', `${event.state}, ${counted(event.attempts, 'attempt')}`],
      ['Delivered', event.deliveredAt && momentFrom(event.deliveredAt, now)],
      ['Sent again', event.replayedAt && momentFrom(event.replayedAt, now)],
      ['Next attempt', event.dueAt && momentFrom(event.dueAt, now)],
      ['Callback URL', receiverText(receiver, now)],
    ]),
    rows.length > 0
      ? `Attempts\n${table(['', 'When', 'Answer', 'Time', 'Address', 'Failure, or the answer’s start'], rows)}`
      : 'Attempts\n  None yet.',
    `Body\n  ${plain(event.body)}`,
    event.state !== 'delivered' && `Send it now: ${ADMIN} event replay --event ${event.id}`,
  )
}
