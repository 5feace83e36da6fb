/** The headers that answers carry beside their body. */
import type { Schema } from './schemas.ts'

export type Header = { description: string; schema: Schema; required?: boolean; example?: string }

export const HEADERS = {
  'X-Request-Id': {
    description: 'The request’s identifier. Quote it when you ask for help.',
    schema: { type: 'string' },
    required: true,
    example: 'req_01kca9m4v0f6g7h8j9kmnpqrst',
  },
  'X-Idempotent-Replay': {
    description: 'There when an earlier request’s result is repeated.',
    schema: { type: 'string', enum: ['true'] },
    required: true,
  },
  RateLimit: {
    description:
      'For each limit that counted this request: `r` requests are left, and it is whole again in `t` seconds.',
    schema: { type: 'string' },
    example: '"write";r=99;t=1',
  },
  'RateLimit-Policy': {
    description:
      'For each limit that counted this request: `q` requests at once, refilled within `w` seconds.',
    schema: { type: 'string' },
    example: '"write";q=100;w=4',
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The scheme that is expected.',
    schema: { type: 'string', enum: ['Bearer'] },
    required: true,
  },
  Allow: { description: 'The methods that this address takes.', schema: { type: 'string' }, required: true },
} as const satisfies Record<string, Header>

/** X-Request-Id, which every answer has, and these. */
export const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
