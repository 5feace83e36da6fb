/** Calling a driver with a request that writes: what may have come of it if there is no answer. */
import { type Refused, refusalIn, retryLaterIn } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { ProviderCall } from '../../providers/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import type { Account } from '../../providers/registry.ts'
import { type Calling, callProvider, explainCallFailure, isTimeout } from '../provider-call.ts'
import { NOT_YET, takeTurn } from './turn.ts'

/**
 * A request that writes was certainly not carried out, and may be sent again. `unsent`: it did not leave. `not_taken`: the provider is
 * asked too often, or is busy with the same object. `retryAfterMs`: how long the provider wants us to wait; null if it did not say.
 */
export type Unsent =
  | { kind: 'unsent'; message: string }
  | { kind: 'not_taken'; message: string; retryAfterMs: number | null }

export function isUnsent<Result extends { kind: string }>(
  result: Result,
): result is Extract<Result, { kind: 'unsent' | 'not_taken' }> {
  return result.kind === 'unsent' || result.kind === 'not_taken'
}

/** A provider that wants us to wait longer is tried again after this time. */
const WAIT_MAX_MS = 15 * 60_000

/** Returns how long the provider wants us to wait before the next try, within our bound; 0 if it does not say. */
export function wantedPauseMs(result: { kind: string }): number {
  const { retryAfterMs } = result as { retryAfterMs?: number | null }
  return Math.min(retryAfterMs ?? 0, WAIT_MAX_MS)
}

/**
 * What has come of a request that writes, if it brought no answer. `refused`: the provider refused the account, and did nothing.
 * `timed_out`: we stopped waiting, and the provider may still get it. `unknown`: nobody knows.
 */
export type Unanswered =
  | ({ kind: 'refused' } & Refused)
  | Unsent
  | { kind: 'timed_out'; message: string }
  | { kind: 'unknown'; message: string }

/**
 * Calls a driver with a request that writes. Does not throw: a call that failed is told by what it may have done. While the provider
 * refuses the account, the work that is repeated is tried with one request at a time.
 */
export async function sendToProvider<Answer>(
  ctx: Context,
  account: Account,
  calling: Calling,
  act: (call: ProviderCall) => Promise<Answer>,
): Promise<Answer | Unanswered> {
  if (!(await takeTurn(ctx, account.id, calling))) return { kind: 'unsent', message: NOT_YET }
  try {
    return await callProvider(ctx, account, calling, act)
  } catch (error) {
    const isUndone = wasNothingSent(error)
    const refused = refusalIn(error)
    if (refused && isUndone) return { kind: 'refused', ...refused }
    const message = explainCallFailure(ctx, error, { account: account.id, about: calling.about })
    const untaken = retryLaterIn(error)
    if (untaken && isUndone) return { kind: 'not_taken', message, retryAfterMs: untaken.retryAfterMs }
    if (isTimeout(error)) return { kind: 'timed_out', message }
    return { kind: isUndone ? 'unsent' : 'unknown', message }
  }
}
