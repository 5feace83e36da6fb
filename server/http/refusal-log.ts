/**
 * One log line for each request that was refused. Some of them are warnings that an operator may want an alert for: wrong tokens,
 * missing scopes, refused origins and callers above a limit. All other errors of a token or a public key are logged at level info, so
 * that the request id in the error finds a line. The lines are themselves limited, so that a flood cannot fill the log. The first line
 * after a pause says how many were left out.
 */
import type { Request } from 'express'
import type { Context } from '../context.ts'
import type { AppError, ErrorCode } from '../errors.ts'
import { createMemoryBuckets, type MemoryBuckets } from '../limits/token-bucket.ts'
import { aboutOf, endpointOf } from './access-log.ts'
import { callerOf } from './caller.ts'

const ALARMING: ReadonlySet<ErrorCode> = new Set([
  'https_required',
  'missing_token',
  'invalid_token',
  'insufficient_scope',
  'origin_missing',
  'origin_not_trusted',
  'widget_key_invalid',
  'rate_limited',
])
/** The limit of lines for each address, so that one caller does not hide the others. */
const PER_ADDRESS = { perSecond: 1 / 60, burst: 5 }
/** The limit of lines for each error code, over all addresses. */
const PER_CODE = { perSecond: 1, burst: 30 }
/** The limit of the errors of a merchant, whose token was right. */
const PER_MERCHANT = { perSecond: 1, burst: 60 }
const TEXT_MAX_CHARS = 200

type LineKind = ErrorCode | 'callback_rejected' | 'callback_not_stored'
type Journal = { buckets: MemoryBuckets; leftOut: Map<LineKind, number> }
/** One for each world. */
const journals = new WeakMap<object, Journal>()

/** Logs the failure if it is one of these kinds and its share of the log is not used up. */
export function logRefusal(ctx: Context, request: Request, error: AppError): void {
  const { code, details } = error
  const about = { ...aboutOf(request), ...details.about }
  const isAlarming = ALARMING.has(code)
  const isKnown = about.merchantId !== undefined || about.publicKey !== undefined
  // Failures of the service have been logged as errors.
  if (!isAlarming && (!isKnown || isFailure(error))) return
  const merchantId = isAlarming ? undefined : about.merchantId
  const share = takeLine(ctx, request, code, merchantId)
  if (!share) return
  const { address, leftOut } = share
  const { origin } = request.headers
  const line = {
    requestId: request.res?.locals.requestId,
    method: request.method,
    endpoint: endpointOf(request),
    ...about,
    ...leftOut,
  }
  if (!isAlarming) {
    ctx.log.info({ error: code, ...line }, 'request rejected')
    return
  }
  const by = { address, ...(origin !== undefined && { origin: origin.slice(0, TEXT_MAX_CHARS) }) }
  ctx.log.warn({ refused: code, ...by, ...line }, 'request refused')
}

/** Logs a callback that had no effect. It is limited in the same way, because anybody can post to the address of an account. */
export function logCallback(
  ctx: Context,
  request: Request,
  { accountId, ...problem }: { accountId: string } & ({ why: string } | { error: unknown }),
): void {
  const isRejected = 'why' in problem
  const share = takeLine(ctx, request, isRejected ? 'callback_rejected' : 'callback_not_stored')
  if (!share) return
  const line = { accountId, ...share.leftOut }
  if (isRejected) ctx.log.warn({ ...line, why: problem.why }, 'callback rejected')
  else ctx.log.error({ ...line, err: problem.error }, 'callback not stored')
}

/** Returns null if no line of this kind may be written now. `leftOut`: how many were left out before, if any. */
function takeLine(ctx: Context, request: Request, kind: LineKind, merchantId?: string) {
  const journal = journals.get(ctx.log) ?? { buckets: createMemoryBuckets(), leftOut: new Map() }
  journals.set(ctx.log, journal)
  const address = callerOf(request).address.slice(0, TEXT_MAX_CHARS)
  const leftOut = journal.leftOut.get(kind) ?? 0
  if (!mayLog(journal, kind, { address, merchantId })) {
    journal.leftOut.set(kind, leftOut + 1)
    return null
  }
  journal.leftOut.delete(kind)
  return { address, leftOut: leftOut > 0 ? { leftOut } : {} }
}

/** Whether the service failed, and not the caller. A request that has to wait for another one is no failure. */
export function isFailure({ code, row }: AppError): boolean {
  return row.status >= 500 && code !== 'request_in_progress'
}

function mayLog(
  { buckets }: Journal,
  kind: LineKind,
  { address, merchantId }: { address: string; merchantId: string | undefined },
): boolean {
  if (merchantId !== undefined) return buckets.take(merchantId, PER_MERCHANT).waitMs === 0
  return (
    buckets.take(`${kind} ${address}`, PER_ADDRESS).waitMs === 0 && buckets.take(kind, PER_CODE).waitMs === 0
  )
}
