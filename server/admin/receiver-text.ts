/** Describes a merchant's callback URL: its state, since when, why, and what to do. */
import type { ReceiverRecord } from '../operator/event-history.ts'
import { type ReceiverHealth, stateOfReceiver } from '../receivers/receiver.ts'
import { ADMIN } from './command.ts'
import { counted, moment, momentFrom, pairs, paragraphs, plain } from './layout.ts'

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

/** Several lines and the next step. `address`: the rows to print first. */
export function receiverHealthText(
  { receiver, lastFailure, waiting, givenUp }: ReceiverHealth,
  { address, merchantId, now }: { address: [string, string][]; merchantId: string; now: Date },
): string {
  const state = stateOfReceiver(receiver)
  const needsWaking = state === 'resting' || state === 'paused'
  const failure = lastFailure && (lastFailure.failure ?? `answered ${lastFailure.statusCode}`)
  const events = [
    waiting > 0 && `${counted(waiting, 'event')} waiting to be sent`,
    givenUp > 0 && `${counted(givenUp, 'event')} given up`,
  ]
  return paragraphs(
    pairs([
      ...address,
      ['State', receiverText(receiver, now)],
      ['Last failure', lastFailure && [`${moment(lastFailure.createdAt)}: ${failure}`, lastFailure.advice]],
      ['Events', events.filter((each) => each !== false)],
    ]),
    needsWaking &&
      `Fix the receiver, then verify it: ${ADMIN} callback verify --merchant ${merchantId}\nEvents are sent again after a successful verification, or after one accepted event.`,
    givenUp > 0 &&
      `Send the events that were given up again: ${ADMIN} event replay --merchant ${merchantId} --since 30d --state exhausted`,
  )
}

/** One line for lists: the receiver, and how to see more. */
export function restingLine(receiver: ReceiverRecord): string {
  const { merchantId } = receiver
  const state = stateOfReceiver(receiver)
  return plain(
    `The callback URL of ${merchantId} is ${state}: ${ADMIN} callback show --merchant ${merchantId}`,
  )
}
