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
import { findMessage, translate } from './messages/translate.ts'

type Row = { status: number; retryable?: boolean }

const ROWS = {
  missing_token: { status: 401 },
  invalid_token: { status: 401 },
  https_required: { status: 403 },
  origin_missing: { status: 403 },
  origin_not_trusted: { status: 403 },
  widget_key_invalid: { status: 403 },
  insufficient_scope: { status: 403 },
  payment_not_found: { status: 404 },
  operation_not_found: { status: 404 },
  token_not_found: { status: 404 },
  subscription_not_found: { status: 404 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  operation_disabled: { status: 409 },
  refund_limit_reached: { status: 409 },
  payment_not_eligible: { status: 409 },
  fiscalization_disabled: { status: 409 },
  receipt_already_issued: { status: 409 },
  payload_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  malformed_request: { status: 400 },
  request_timeout: { status: 408 },
  address_too_long: { status: 414 },
  expectation_failed: { status: 417 },
  headers_too_large: { status: 431 },
  validation_failed: { status: 422 },
  invalid_json: { status: 422 },
  raw_card_data_rejected: { status: 422 },
  idempotency_key_required: { status: 422 },
  idempotency_key_reused: { status: 422 },
  provider_route_unsupported: { status: 422 },
  provider_route_not_ready: { status: 422 },
  amount_mismatch: { status: 422 },
  product_unknown: { status: 422 },
  amount_chosen_by_buyer: { status: 422 },
  return_url_not_allowed: { status: 422 },
  rate_limited: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  operation_not_configured: { status: 501 },
  provider_unavailable: { status: 503, retryable: true },
  storage_unavailable: { status: 503, retryable: true },
  request_in_progress: { status: 503, retryable: true },
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof ROWS
export type ErrorRow = Row & { message: string; hint?: string }

function withTexts(code: ErrorCode): ErrorRow {
  const hint = findMessage('en', `errors.${code}.hint`)
  return {
    ...ROWS[code],
    message: translate('en', `errors.${code}.message`),
    ...(hint !== undefined && { hint }),
  }
}

const CODES = Object.keys(ROWS) as ErrorCode[]
/** The texts stand in `messages/en/errors.json`. */
export const ERRORS = Object.fromEntries(CODES.map((code) => [code, withTexts(code)])) as Record<
  ErrorCode,
  ErrorRow
>

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
  plan_upgrade: object
  upgrade_database: object
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
  /** The refunded sum of the payment, for a refund that expected another sum. */
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
