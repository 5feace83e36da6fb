/** The headers of responses. */
import type { Schema } from './schemas.ts'

export type Header = { description: string; schema: Schema; required?: boolean; example?: string }

export const HEADERS = {
  'X-Request-Id': {
    description: 'The request’s identifier. Quote it when you ask for help.',
    schema: { type: 'string' },
    required: true,
    example: 'req_01kca9m4v000f6g7h8j9kmnpqrst2v3w4x5y',
  },
  'X-Idempotent-Replay': {
    description: 'Sent if the response is the result of an earlier request.',
    schema: { type: 'string', enum: ['true'] },
    required: true,
  },
  RateLimit: {
    description:
      'For each limit that counted this request: `r` requests are left, and the limit is full again in `t` seconds.',
    schema: { type: 'string' },
    example: '"write";r=99;t=1',
  },
  'RateLimit-Policy': {
    description:
      'For each limit that counted this request: `q` requests are allowed at once, and refilled within `w` seconds.',
    schema: { type: 'string' },
    example: '"write";q=100;w=4',
  },
  'Retry-After': {
    description:
      'Seconds to wait before you send the request again. A 503 whose `retryable` is false does not have it.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Preference-Applied': {
    description: 'Sent if the response has waited as `Prefer` wanted, or had nothing to wait for.',
    schema: { type: 'string' },
    example: 'wait=3',
  },
  'WWW-Authenticate': {
    description: 'The expected scheme.',
    schema: { type: 'string', enum: ['Bearer'] },
    required: true,
  },
  Allow: {
    description: 'The methods that this address accepts.',
    schema: { type: 'string' },
    required: true,
  },
} as const satisfies Record<string, Header>

/** X-Request-Id, which every response has, and the named headers. */
export const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
