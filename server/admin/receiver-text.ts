/** How a merchant's callback URL fares, as JSON and as text: its state, since when, why, and what to do. */

import type { DeliveryRecord, ReceiverRecord } from '../operator/event-history.ts'
import { type ReceiverHealth, stateOfReceiver } from '../receivers/receiver.ts'
import { ADMIN } from './command.ts'
import { counted, moment, momentFrom, pairs, paragraphs, plain } from './layout.ts'

export function presentDelivery(delivery: DeliveryRecord) {
  const { attempt, url, statusCode, durationMs, failure, answerStart, createdAt } = delivery
  return { attempt, url, statusCode, durationMs, failure, answerStart, createdAt }
}

/** Resting: after failures in a row, and until `probeAt`, when one event is tried. Paused: the same, after days of them. */
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

/** One line. */
export function receiverText(receiver: ReceiverRecord | null, now: Date): string {
  const state = stateOfReceiver(receiver)
  if (!receiver || state === 'healthy') return 'healthy'
  const { failures, failingSince, pausedAt, probeAt } = receiver
  const since = failingSince ? ` since ${moment(failingSince)}` : ''
  const paused = pausedAt ? `; paused since ${moment(pausedAt)}` : ''
  const next = probeAt ? `; one event is tried ${momentFrom(probeAt, now)}` : ''
  return `${state}: ${counted(failures, 'failure')} in a row${since}${paused}${next}`
}

/** Several lines and the next step; `address`: the rows that stand before them. */
export function receiverHealthText(
  { receiver, lastFailure, waiting, givenUp }: ReceiverHealth,
  { address, merchantId, now }: { address: [string, string][]; merchantId: string; now: Date },
): string {
  const state = stateOfReceiver(receiver)
  const isAtRest = state === 'resting' || state === 'paused'
  const answer = lastFailure && (lastFailure.failure ?? `answered ${lastFailure.statusCode}`)
  const events = [
    waiting > 0 && `${counted(waiting, 'event')} still to be sent`,
    givenUp > 0 && `${counted(givenUp, 'event')} given up`,
  ]
  return paragraphs(
    pairs([
      ...address,
      ['State', receiverText(receiver, now)],
      ['Last failure', lastFailure && [`${moment(lastFailure.createdAt)}: ${answer}`, lastFailure.advice]],
      ['Events', events.filter((each) => each !== false)],
    ]),
    isAtRest &&
      `Mend the receiver, then wake it: ${ADMIN} callback verify --merchant ${merchantId}\nA verification that passes ends the ${state === 'paused' ? 'pause' : 'rest'}, as the next event that is taken does.`,
    givenUp > 0 &&
      `What was given up is sent again by: ${ADMIN} event replay --merchant ${merchantId} --since 30d --state exhausted`,
  )
}

/** For lists: which receiver it is, and where to read more. */
export function restingLine(receiver: ReceiverRecord): string {
  const { merchantId } = receiver
  const state = stateOfReceiver(receiver)
  return plain(
    `The callback URL of ${merchantId} ${state === 'paused' ? 'is paused' : 'rests'}: ${ADMIN} callback show --merchant ${merchantId}`,
  )
}

/** When something that is due is sent: at a receiver that rests nothing is before it is tried again. */
export function dueAtReceiver(dueAt: Date, resting: ReceiverRecord | null | undefined): Date {
  return resting?.probeAt && dueAt < resting.probeAt ? resting.probeAt : dueAt
}
