/** Events, deliveries and receivers as an operator sees them. */
import { type ReceiverHealth, stateOfReceiver } from '../receivers/receiver.ts'
import type { DeliveryRecord, EventDetail, EventSummary, ReceiverRecord } from './event-history.ts'

export function presentDelivery(delivery: DeliveryRecord) {
  const { attempt, url, statusCode, durationMs, failure, responseStart, createdAt } = delivery
  return { attempt, url, statusCode, durationMs, failure, responseStart, createdAt }
}

/** A receiver `rests` after several failures in a row, and is `paused` after days of them. At `probeAt` one event is tried. */
export function presentReceiver(receiver: ReceiverRecord | null) {
  const state = stateOfReceiver(receiver)
  if (!receiver) return { state }
  const { url, failures, failingSince, pausedAt, probeAt } = receiver
  return { state, url, failures, failingSince, pausedAt, probeAt }
}

export function presentReceiverHealth({ receiver, lastFailure, waiting, givenUp }: ReceiverHealth) {
  const failed = lastFailure && { ...presentDelivery(lastFailure), advice: lastFailure.advice }
  return { ...presentReceiver(receiver), lastFailure: failed, waiting, givenUp }
}

export function presentEventSummary({ id: eventId, dueAt: nextAttemptAt, ...rest }: EventSummary) {
  return { eventId, ...rest, nextAttemptAt }
}

/** `body` is the exact text that every attempt sends. */
export function presentEvent({ event: { body, ...summary }, deliveries, receiver }: EventDetail) {
  const attempts = deliveries.map(presentDelivery)
  return { ...presentEventSummary(summary), body, deliveries: attempts, receiver: presentReceiver(receiver) }
}

/** When a due event is sent. A resting receiver gets nothing before it is tried again. */
export function sendingTime(dueAt: Date, resting: ReceiverRecord | null | undefined): Date {
  return resting?.probeAt && dueAt < resting.probeAt ? resting.probeAt : dueAt
}
