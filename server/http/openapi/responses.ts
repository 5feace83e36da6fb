/** Every response that an endpoint can send, derived from its declaration. */
import { NoBody } from '../../contract/operation.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Endpoint } from '../endpoint.ts'
import { HEADERS, type Header, headersOf } from './headers.ts'
import { refTo, type Schema, schemaOf } from './schemas.ts'

export type MediaType = {
  schema: Schema
  example?: unknown
  examples?: Record<string, { summary: string; value: unknown }>
}
export type Response = {
  description: string
  headers?: Record<string, Header | { $ref: string }>
  content?: Record<string, MediaType>
}

/** The errors that an endpoint can return, each once. */
export function failuresOf(endpoint: Endpoint): ErrorCode[] {
  const { auth, limited, body, query, params, idempotencyKey, errors } = endpoint
  const codes: ErrorCode[] = []
  if (auth.kind === 'bearer')
    codes.push('https_required', 'missing_token', 'invalid_token', 'origin_not_trusted', 'insufficient_scope')
  if (auth.kind === 'widget') codes.push('origin_missing', 'origin_not_trusted')
  if (limited !== 'none') codes.push('rate_limited')
  if (auth.kind !== 'none') codes.push('storage_unavailable')
  if (body) codes.push('payload_too_large', 'unsupported_media_type', 'invalid_json', 'validation_failed')
  if (query || params) codes.push('validation_failed')
  if (body || query || params || idempotencyKey) codes.push('raw_card_data_rejected')
  if (idempotencyKey) codes.push('idempotency_key_required', 'validation_failed', 'request_in_progress')
  // A request without a body cannot repeat a key with another body.
  if (idempotencyKey && body !== NoBody) codes.push('idempotency_key_reused')
  return [...new Set<ErrorCode>([...codes, ...errors, 'internal'])]
}

/** The successes: 200, and 201 before it where something is created. */
export const successesOf = ({ creates }: Endpoint): number[] => (creates ? [201, 200] : [200])

export function responsesOf(endpoint: Endpoint, example: object | undefined): Record<string, Response> {
  const responses: Record<string, Response> = {}
  for (const status of successesOf(endpoint)) responses[status] = success(endpoint, status, example)
  const codes = failuresOf(endpoint)
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort()
  for (const status of statuses)
    responses[status] = failure(
      status,
      codes.filter((code) => ERRORS[code].status === status),
    )
  return responses
}

function success(
  { creates, response, limited, waits }: Endpoint,
  status: number,
  example: object | undefined,
): Response {
  const replayed = creates && status === 200
  const shown = example && replayed && 'created' in example ? { ...example, created: false } : example
  return {
    description:
      status === 201
        ? 'Created.'
        : replayed
          ? 'A replay of an earlier request: the same object in its current state.'
          : 'Success.',
    headers: headersOf(
      ...(replayed ? (['X-Idempotent-Replay'] as const) : []),
      ...(limited === 'none' ? [] : RATED),
      ...(waits ? (['Preference-Applied'] as const) : []),
    ),
    content: { 'application/json': { schema: schemaOf(response), ...(shown && { example: shown }) } },
  }
}

/** Sent by endpoints whose calls a limit counts. */
const RATED = ['RateLimit', 'RateLimit-Policy'] as const

const FAILURE_SCHEMAS: Record<number, string> = {
  409: 'OperationErrorResponse',
  422: 'ValidationErrorResponse',
  501: 'OperationErrorResponse',
}
const FAILURE_HEADERS: Record<number, (keyof typeof HEADERS)[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', ...RATED],
  503: ['Retry-After'],
}

function failure(status: number, codes: ErrorCode[]): Response {
  const examples = codes.map((code) => [code, { summary: ERRORS[code].message, value: failureExample(code) }])
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    headers: headersOf(...(FAILURE_HEADERS[status] ?? [])),
    content: {
      'application/json': {
        schema: refTo(FAILURE_SCHEMAS[status] ?? 'ErrorResponse'),
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** An example of an error's body. */
function failureExample(code: ErrorCode): object {
  const {
    status,
    message,
    hint,
    retryable,
  }: { status: number; message: string; hint?: string; retryable?: boolean } = ERRORS[code]
  const error = {
    code,
    message,
    requestId: HEADERS['X-Request-Id'].example,
    ...(hint && { hint }),
    ...(retryable && { retryable }),
  }
  return { ok: false, error, ...(status === 422 && { errors: FIELD_EXAMPLES[code] ?? {} }) }
}

const FIELD_EXAMPLES: Partial<Record<ErrorCode, Record<string, string>>> = {
  validation_failed: { amountMinor: 'is required' },
  idempotency_key_required: { 'Idempotency-Key': 'must be sent exactly once' },
  idempotency_key_reused: { 'Idempotency-Key': 'was used before with a different body' },
  invalid_json: { body: 'must be one JSON object' },
  return_url_not_allowed: { returnUrl: 'must be an absolute http(s) address' },
  amount_chosen_by_buyer: {
    productId: 'the buyer chooses its amount on https://pay.example/pay/kpk_live_.../gift: link to that page',
  },
  product_unknown: { productId: '"tea" is not in the product registry' },
}
