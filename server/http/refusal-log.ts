/**
 * One log line for each refusal that an operator may want an alert for: wrong tokens, missing scopes, refused origins and
 * callers above a limit. The lines are themselves limited, so that a flood cannot fill the log. The first line after a pause says
 * how many were left out.
 */
import type { Request } from 'express'
import type { Context } from '../context.ts'
import type { AppError, ErrorCode } from '../errors.ts'
import { createMemoryBuckets, type MemoryBuckets } from '../limits/token-bucket.ts'
import { endpointOf } from './access-log.ts'
import { callerOf } from './caller.ts'

const LOGGED: ReadonlySet<ErrorCode> = new Set([
  'https_required',
  'missing_token',
  'invalid_token',
  'insufficient_scope',
  'origin_missing',
  'origin_not_trusted',
  'widget_key_invalid',
  'rate_limited',
])
/** The limit of log lines for each address, so that one caller does not hide the others. */
const PER_ADDRESS = { perSecond: 1 / 60, burst: 5 }
/** The limit of log lines for each error code, over all addresses. */
const PER_CODE = { perSecond: 1, burst: 30 }
const TEXT_MAX_CHARS = 200

type Journal = { buckets: MemoryBuckets; leftOut: Map<ErrorCode, number> }
/** One for each world. */
const journals = new WeakMap<object, Journal>()

/** Logs the failure if it is one of these kinds and its share of the log is not used up. */
export function logRefusal(ctx: Context, request: Request, { code, details }: AppError): void {
  if (!LOGGED.has(code)) return
  const journal = journals.get(ctx.log) ?? { buckets: createMemoryBuckets(), leftOut: new Map() }
  journals.set(ctx.log, journal)
  const address = callerOf(request).address.slice(0, TEXT_MAX_CHARS)
  const leftOut = journal.leftOut.get(code) ?? 0
  if (!mayLog(journal, code, address)) return void journal.leftOut.set(code, leftOut + 1)
  journal.leftOut.delete(code)
  const { origin } = request.headers
  ctx.log.warn(
    {
      refused: code,
      address,
      method: request.method,
      endpoint: endpointOf(request),
      requestId: request.res?.locals.requestId,
      ...(origin !== undefined && { origin: origin.slice(0, TEXT_MAX_CHARS) }),
      ...details.about,
      ...(leftOut > 0 && { leftOut }),
    },
    'request refused',
  )
}

function mayLog({ buckets }: Journal, code: ErrorCode, address: string): boolean {
  return (
    buckets.take(`${code} ${address}`, PER_ADDRESS).waitMs === 0 && buckets.take(code, PER_CODE).waitMs === 0
  )
}
