/**
 * The error table: one row for every failure that the API returns, and the class that carries a failure to the caller.
 * Rule: only this table sets a failure's status and retry advice. Its texts are for the merchant's developer, so they name
 * no command, setting or log of the operator.
 */

import type { FieldErrors } from './contract/failure.ts'
import type { ProviderRoute } from './contract/fields.ts'
import type { World } from './contract/health.ts'
import type { PaymentOperation } from './contract/operation.ts'
import type { Reason } from './contract/reason.ts'

type ErrorRow = { status: number; message: string; hint?: string; retryable?: boolean }

export const ERRORS = {
  missing_token: {
    status: 401,
    message: 'This endpoint needs a merchant token.',
    hint: 'Send the header "Authorization: Bearer <MERCHANT_API_TOKEN>" from your back end.',
  },
  invalid_token: {
    status: 401,
    message: 'The merchant token is not valid.',
    hint: 'It may be mistyped, expired or revoked. Ask whoever runs your payment service for a new one.',
  },
  https_required: {
    status: 403,
    message: 'Calls with real money need https.',
    hint: 'Call the https address of your payment service. If you did, tell whoever runs it that their proxy has to send X-Forwarded-Proto.',
  },
  origin_missing: {
    status: 403,
    message: 'The request carries no Origin header, so this page cannot be matched to the widget key.',
    hint: 'Call this endpoint from a web page whose origin is registered for the key.',
  },
  origin_not_trusted: {
    status: 403,
    message: 'This origin is not registered.',
    hint: 'Register the exact origin (scheme, host and port), or call from your back end without an Origin header.',
  },
  widget_key_invalid: {
    status: 403,
    message: 'The widget key is unknown or revoked.',
    hint: 'Copy the snippet again from your install page, or ask whoever runs your payment service.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The merchant token lacks the scope that this endpoint needs.',
  },
  payment_not_found: { status: 404, message: 'There is no such payment.' },
  operation_not_found: { status: 404, message: 'There is no such operation.' },
  token_not_found: { status: 404, message: 'There is no such token.' },
  subscription_not_found: { status: 404, message: 'There is no such subscription.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not accept this method.' },
  operation_disabled: { status: 409, message: 'This operation is not enabled for the provider route.' },
  refund_limit_reached: { status: 409, message: 'This is more than the merchant token may return.' },
  payment_not_eligible: { status: 409, message: 'The payment is not in a state that allows this.' },
  fiscalization_disabled: { status: 409, message: 'Fiscal receipts are not enabled for this payment.' },
  receipt_already_issued: { status: 409, message: 'The fiscal receipt is already issued.' },
  payload_too_large: { status: 413, message: 'The request body is larger than 64 KB.' },
  unsupported_media_type: {
    status: 415,
    message: 'The request body must be JSON in UTF-8.',
    hint: 'Send the header "Content-Type: application/json".',
  },
  malformed_request: { status: 400, message: 'This is not a well-formed HTTP/1.1 request.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  address_too_long: { status: 414, message: 'The address is too long.' },
  expectation_failed: { status: 417, message: 'The only supported Expect header is 100-continue.' },
  headers_too_large: { status: 431, message: 'The request has too many headers, or too long ones.' },
  validation_failed: { status: 422, message: 'The request is not valid. "errors" names each invalid field.' },
  invalid_json: { status: 422, message: 'The request body is not valid JSON.' },
  raw_card_data_rejected: {
    status: 422,
    message: 'Raw card data is never accepted.',
    hint: 'Buyers enter their card only on the provider’s own page. If the value is no card number, "errors" says how to write it.',
  },
  idempotency_key_required: { status: 422, message: 'This endpoint needs one Idempotency-Key header.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This idempotency key was used before with other content.',
    hint: 'Use the same key for retries of an attempt, and a new key for a new attempt.',
  },
  provider_route_unsupported: { status: 422, message: 'The provider route does not accept this currency.' },
  provider_route_not_ready: { status: 422, message: 'The provider route is not configured.' },
  amount_mismatch: { status: 422, message: 'amount and amountMinor are different amounts.' },
  product_unknown: {
    status: 422,
    message: 'There is no such product.',
    hint: 'Ask whoever runs your payment service which products there are.',
  },
  amount_chosen_by_buyer: {
    status: 422,
    message: 'The buyer chooses the amount of this product, so a button cannot sell it.',
    hint: 'Link to its payment page instead.',
  },
  return_url_not_allowed: {
    status: 422,
    message: 'This returnUrl cannot be used. "errors" says why.',
  },
  rate_limited: { status: 429, message: 'Too many requests.', retryable: true },
  internal: { status: 500, message: 'Something went wrong on our side.', retryable: true },
  operation_not_configured: {
    status: 501,
    message: 'This operation is not set up for the provider route yet.',
  },
  provider_unavailable: { status: 503, message: 'The payment provider is not available.', retryable: true },
  storage_unavailable: { status: 503, message: 'The payment storage is not available.', retryable: true },
  request_in_progress: {
    status: 503,
    message: 'An identical request is still being processed.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

type OfMerchant = { merchantId: string }
/** Present if the act belongs to one world, whichever world the failed act was in. */
type OfWorld = { world?: World }
type OfPage = { installationId: string; origin: string }

/** The acts of the operator that a failure or an open step can name, each with the ids that the act needs. */
type Acts = {
  list_merchants: object
  list_tokens: object
  list_installations: object
  list_payments: object
  list_operations: object
  list_subscriptions: object
  list_events: object
  list_accounts: object
  list_products: OfMerchant
  issue_token: OfMerchant
  set_callback: OfMerchant & OfWorld
  verify_callback: OfMerchant & OfWorld
  /** `origin`: absent if the operator has to find out which origin it is. */
  approve_origin: OfMerchant & { origin?: string }
  approve_page: OfMerchant & { page: string }
  create_installation: OfMerchant & {
    origins: string[]
    returnUrl: string | null
    provider: ProviderRoute | null
  }
  allow_origin: OfPage
  diagnose_origin: OfPage
  revoke_installation: { installationId: string }
  show_payment: { paymentId: string }
  confirm_payment: { paymentId: string }
  note_return: { paymentId: string }
  verify_elsewhere: { directory: string }
  reopen_database: object
  confirm_restored: { person: string }
}
export type ActName = keyof Acts
/** One act of the operator, as data. The command line words it in `admin/next-step.ts`. */
export type NextAct<Name extends ActName = ActName> = { [Each in Name]: { act: Each } & Acts[Each] }[Name]

export type { Reason } from './contract/reason.ts'

type ErrorDetails = {
  reason?: Reason
  /** Replaces the table's message. */
  message?: string
  hint?: string
  /** What an operator can do about it. The API never shows this. */
  next?: readonly NextAct[]
  /** What the log says about it, such as the id of the token. The API never shows this. */
  about?: Record<string, string>
  /** One readable sentence per field, for the 422 body. */
  errors?: FieldErrors
  retryAfterSeconds?: number
  /** Replaces the table's `retryable`. */
  retryable?: boolean
  /** The record of the rejected call, for the 409 and 501 of guarded operations. */
  operation?: PaymentOperation
  /** What was refunded of the payment, for a refund that was made for another sum. */
  refunded?: { refundedMinor: number; pendingRefundMinor: number }
  cause?: unknown
}

/** A failure that is reported to the caller: a row of the table with the details of this case. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly row: ErrorRow
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code].message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.row = ERRORS[code]
    this.details = details
  }
}
