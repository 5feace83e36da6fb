/** Describes an event with its attempts. */
import type { Context } from '../context.ts'
import type { EventDetail } from '../operator/event-history.ts'
import { ADMIN } from './command.ts'
import { counted, moment, momentFrom, pairs, paragraphs, plain, table } from './layout.ts'
import { receiverText } from './receiver-text.ts'

const ANSWER_SHOWN_CHARS = 120

export function eventText(ctx: Context, { event, deliveries, receiver }: EventDetail): string {
  const now = ctx.clock.now()
  const rows = deliveries.map(
    ({ attempt, createdAt, url, statusCode, durationMs, failure, responseStart }) => [
      String(attempt),
      moment(createdAt),
      statusCode === null ? 'none' : String(statusCode),
      `${durationMs} ms`,
      url,
      failure ?? responseStart?.slice(0, ANSWER_SHOWN_CHARS) ?? '',
    ],
  )
  return paragraphs(
    pairs([
      ['Event', event.id],
      ['Status', `${event.status} (change ${event.sequence} of its payment)`],
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
      ? `Attempts\n${table(['', 'When', 'Status', 'Time', 'Address', 'Failure, or start of the response'], rows)}`
      : 'Attempts\n  None yet.',
    `Body\n  ${plain(event.body)}`,
    event.state !== 'delivered' && `Send it now: ${ADMIN} event replay --event ${event.id}`,
  )
}
