/** The simulator's errors, in Stripe's shape. */
import type Stripe from 'stripe'

export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  code?: string
  decline_code?: string
  message: string
  param?: string
  charge?: string
  payment_intent?: Stripe.PaymentIntent
}

/** `isSaved`: the endpoint had started, so the reply is kept under the request's key. */
export type Refused = Error & {
  status: number
  body: ErrorBody
  isSaved: boolean
  headers?: Record<string, string>
}

export function refuse(
  status: number,
  body: ErrorBody,
  isSaved = false,
  headers: Record<string, string> = {},
): Refused {
  return Object.assign(new Error(body.message), { status, body, isSaved, headers })
}

/** One parameter is wrong, and nothing was started. */
export function invalid(code: string, param: string, message: string): Refused {
  return refuse(400, { type: 'invalid_request_error', message, param, ...(code && { code }) })
}

/** The object's state does not allow the request. */
export function impossible(code: string, message: string): Refused {
  return refuse(400, { type: 'invalid_request_error', message, ...(code && { code }) }, true)
}

export function missing(what: string, id: string): Refused {
  const message = `No such ${what}: '${id}'`
  return refuse(404, { type: 'invalid_request_error', code: 'resource_missing', message, param: 'id' })
}

export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && 'isSaved' in error
}
