/**
 * How a receiver's state follows from what comes of the attempts. In good health everything that is due is sent to it. After
 * some failures in a row it is open: it rests, then gets one event at a time. After days of failure, or when it says
 * that it is gone, it is paused: one event an hour. The first success ends either.
 */

/** `probeAt`: while it is set, the receiver rests until then, and then takes one event. */
export type ReceiverState = {
  failures: number
  failingSince: Date | null
  pausedAt: Date | null
  probeAt: Date | null
}

export type ReceiverPolicy = { pauseAfterMs: number; probeIntervalMs: number }

export const HEALTHY: ReceiverState = { failures: 0, failingSince: null, pausedAt: null, probeAt: null }
const OPENS_AT_FAILURES = 5

/**
 * The state after a failed attempt that ended `at`. `gone`: the receiver said so (410). `waitMs`: until the event's own
 * next attempt, null when it has none. `retryAfterMs`: what the receiver asked for.
 */
export function afterFailure(
  before: ReceiverState,
  failure: { at: Date; gone: boolean; waitMs: number | null; retryAfterMs: number },
  { pauseAfterMs, probeIntervalMs }: ReceiverPolicy,
): ReceiverState {
  const { at, gone, waitMs } = failure
  const failures = before.failures + 1
  const failingSince = before.failingSince ?? at
  const overdue = at.getTime() - failingSince.getTime() >= pauseAfterMs
  const pausedAt = before.pausedAt ?? (gone || overdue ? at : null)
  const isOpen = pausedAt !== null || failures >= OPENS_AT_FAILURES
  // By the schedule of the event that failed, so that a lone event keeps to it; hourly at the least.
  const usual = pausedAt ? probeIntervalMs : Math.min(waitMs ?? probeIntervalMs, probeIntervalMs)
  const restMs = Math.max(usual, failure.retryAfterMs)
  return { failures, failingSince, pausedAt, probeAt: isOpen ? new Date(at.getTime() + restMs) : null }
}

/** What the operator is told about; null: nothing new. */
export function receiverChange(
  before: ReceiverState,
  after: ReceiverState,
): 'opened' | 'paused' | 'closed' | 'resumed' | null {
  if (after.pausedAt) return before.pausedAt ? null : 'paused'
  if (after.probeAt) return before.probeAt ? null : 'opened'
  if (before.pausedAt) return 'resumed'
  return before.probeAt ? 'closed' : null
}
