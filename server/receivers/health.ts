/**
 * Calculates a receiver's state from the results of the attempts. A healthy receiver gets every due event. After some failures in
 * a row its circuit is open: nothing is sent for a while, then one event at a time. After days of failure, or if the
 * receiver responds that it is gone, it is paused and gets one event an hour. The first success makes it healthy again.
 */

/** `probeAt`: if set, nothing is sent before this time, and then one event. */
export type ReceiverState = {
  failures: number
  failingSince: Date | null
  pausedAt: Date | null
  probeAt: Date | null
}

export type ReceiverPolicy = { pauseAfterMs: number; probeIntervalMs: number }

export const HEALTHY: ReceiverState = { failures: 0, failingSince: null, pausedAt: null, probeAt: null }
export const OPENS_AT_FAILURES = 5
const REPLACED_WITHIN_MS = 10 * 60_000
const REPLACED_RETRY_MS = 10_000

/** `refused`: nothing listens at the receiver's address, so the event has certainly not arrived. */
export function isBeingReplaced(
  before: ReceiverState,
  { at, refused }: { at: Date; refused: boolean },
): boolean {
  const failingSince = before.failingSince ?? at
  const isEarly = at.getTime() - failingSince.getTime() < REPLACED_WITHIN_MS
  return refused && isEarly && before.pausedAt === null && before.failures < OPENS_AT_FAILURES
}

/**
 * Returns the state after a failed attempt that ended `at`. `gone`: the receiver responded 410. `waitMs`: the time until the next
 * attempt of the same event, or null if there is none. `retryAfterMs`: the delay that the receiver asked for.
 */
export function afterFailure(
  before: ReceiverState,
  failure: { at: Date; gone: boolean; refused: boolean; waitMs: number | null; retryAfterMs: number },
  { pauseAfterMs, probeIntervalMs }: ReceiverPolicy,
): ReceiverState {
  const { at, gone, waitMs } = failure
  const failures = before.failures + 1
  const failingSince = before.failingSince ?? at
  if (isBeingReplaced(before, failure)) {
    const probeAt = new Date(at.getTime() + REPLACED_RETRY_MS)
    return { failures: Math.min(failures, OPENS_AT_FAILURES - 1), failingSince, pausedAt: null, probeAt }
  }
  const overdue = at.getTime() - failingSince.getTime() >= pauseAfterMs
  const pausedAt = before.pausedAt ?? (gone || overdue ? at : null)
  const isOpen = pausedAt !== null || failures >= OPENS_AT_FAILURES
  // The wait follows the failed event's schedule, so that an event that is alone keeps its schedule. It is at most an hour.
  const usual = pausedAt ? probeIntervalMs : Math.min(waitMs ?? probeIntervalMs, probeIntervalMs)
  const restMs = Math.max(usual, failure.retryAfterMs)
  return { failures, failingSince, pausedAt, probeAt: isOpen ? new Date(at.getTime() + restMs) : null }
}

/** Whether the circuit is open. A receiver that is being replaced has a time of its next try too, but its circuit is closed. */
export const isResting = ({ pausedAt, probeAt, failures }: ReceiverState): boolean =>
  pausedAt !== null || (probeAt !== null && failures >= OPENS_AT_FAILURES)

/** Returns the change that the log and the metrics report, or null if there is none. */
export function receiverChange(
  before: ReceiverState,
  after: ReceiverState,
): 'opened' | 'paused' | 'closed' | 'resumed' | null {
  if (after.pausedAt) return before.pausedAt ? null : 'paused'
  if (isResting(after)) return isResting(before) ? null : 'opened'
  if (before.pausedAt) return 'resumed'
  return isResting(before) ? 'closed' : null
}
