/** An event with its attempts, as JSON and as text. */
import type { Context } from '../context.ts'
import type { EndpointRecord, EventDetail, EventSummary } from '../merchants/event-history.ts'
import { ADMIN } from './command.ts'
import { counted, moment, momentFrom, pairs, paragraphs, plain, table } from './layout.ts'
import { presentDelivery } from './payment-timeline.ts'

export function presentEventSummary({ id: eventId, dueAt: nextAttemptAt, ...rest }: EventSummary) {
  return { eventId, ...rest, nextAttemptAt }
}

/** `body` is the exact text that every attempt sends. */
export function presentEvent({ event: { body, ...summary }, deliveries, endpoint }: EventDetail) {
  const attempts = deliveries.map(presentDelivery)
  return { ...presentEventSummary(summary), body, deliveries: attempts, endpoint: presentEndpoint(endpoint) }
}

/** Resting: after failures in a row, and until `probeAt`, when one event is tried. */
function presentEndpoint(endpoint: EndpointRecord | null) {
  if (!endpoint) return { state: 'healthy' }
  const { url, failures, failingSince, pausedAt, probeAt } = endpoint
  const state = pausedAt ? 'paused' : probeAt ? 'resting' : failures > 0 ? 'failing' : 'healthy'
  return { state, url, failures, failingSince, pausedAt, probeAt }
}

function endpointText(endpoint: EndpointRecord | null, now: Date): string {
  const { state } = presentEndpoint(endpoint)
  if (!endpoint || state === 'healthy') return 'healthy'
  const { failures, failingSince, probeAt } = endpoint
  const since = failingSince ? ` since ${moment(failingSince)}` : ''
  const next = probeAt ? `; one event is tried ${momentFrom(probeAt, now)}` : ''
  return `${state}: ${counted(failures, 'failure')} in a row${since}${next}`
}

export function eventText(ctx: Context, { event, deliveries, endpoint }: EventDetail): string {
  const now = ctx.clock.now()
  const rows = deliveries.map(({ attempt, createdAt, url, statusCode, durationMs, failure, answerStart }) => [
    ...[String(attempt), moment(createdAt), statusCode === null ? 'none' : String(statusCode)],
    ...[`${durationMs} ms`, url, failure ?? answerStart?.slice(0, 120) ?? ''],
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
      ['Callback URL', endpointText(endpoint, now)],
    ]),
    rows.length > 0
      ? `Attempts\n${table(['', 'When', 'Answer', 'Time', 'Address', 'Failure, or the answer’s start'], rows)}`
      : 'Attempts\n  None yet.',
    `Body\n  ${plain(event.body)}`,
    event.state !== 'delivered' && `Send it now: ${ADMIN} event replay --event ${event.id}`,
  )
}
