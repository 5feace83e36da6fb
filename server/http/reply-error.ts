/** Sends JSON bodies, and turns every failure into an error body of the contract, without internal details. */
import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import type { ErrorResponse, OperationErrorResponse, ValidationErrorResponse } from '../contract/failure.ts'
import { AppError } from '../errors.ts'
import { aboutOf, endpointOf } from './access-log.ts'
import { encodeText } from './compress.ts'
import { isFailure, logRefusal } from './refusal-log.ts'

const VALIDATION_STATUS = 422

/** Returns the error that the caller may see, and logs it. An unexpected failure becomes `internal`. */
export function toAppError(ctx: Context, request: Request, error: unknown): AppError {
  const known = error instanceof AppError ? error : new AppError('internal', { cause: error })
  const { code, cause = known, details } = known
  const about = { endpoint: endpointOf(request), ...aboutOf(request), ...details.about }
  const requestId = request.res?.locals.requestId as string | undefined
  if (isFailure(known)) ctx.log.error({ err: cause, code, requestId, ...about }, 'request failed')
  logRefusal(ctx, request, known)
  return known
}

export function errorBody(
  error: AppError,
  requestId: string,
): ErrorResponse | ValidationErrorResponse | OperationErrorResponse {
  const { code, message, row, details } = error
  const hint = details.hint ?? row.hint
  const retryable = details.retryable ?? row.retryable
  const failure = {
    code,
    message,
    requestId,
    ...(hint && { hint }),
    ...(retryable !== undefined && { retryable }),
    ...(details.operation && { operation: details.operation }),
    ...details.refunded,
  }
  const body: ErrorResponse = { ok: false, error: failure }
  return row.status === VALIDATION_STATUS ? { ...body, errors: details.errors ?? {} } : body
}

/** Sends the failure as a JSON response. */
export function replyError(ctx: Context, request: Request, response: Response, error: unknown): void {
  const requestId = response.locals.requestId as string
  const known = toAppError(ctx, request, error)
  if (response.headersSent) {
    request.destroy()
    return
  }
  if (known.row.status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
  if (known.details.retryAfterSeconds !== undefined)
    response.setHeader('Retry-After', String(known.details.retryAfterSeconds))
  sendJson(response, known.row.status, errorBody(known, requestId))
}

/**
 * Sends a JSON body as one string, so that Node writes head and body in one piece. Express makes a Buffer of a body of 1,000
 * characters and more, and Node then writes two pieces. A long body is compressed here, because `compressTexts` sees only what
 * Express sends.
 */
export function sendJson(response: Response, status: number, body: object): void {
  const text = encodeText(response.req, response, JSON.stringify(body))
  response.statusCode = status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.end(text)
}
