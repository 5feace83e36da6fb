/**
 * The one way in which an endpoint of the API is declared: method, path, who may call, shapes, handler. The checks run
 * in the order of `decisions.md` 4, so that nobody without a token learns whether a body was valid.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../contract/fields.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { expectKnownOrigin } from '../merchants/installation.ts'
import { isOriginTrusted } from '../merchants/origin.ts'
import { authenticate, type Scope } from '../merchants/token.ts'
import { readJson } from './body.ts'
import { replyError } from './reply-error.ts'
import { validate } from './validate.ts'

export type Auth = { kind: 'none' } | { kind: 'bearer'; scope: Scope } | { kind: 'widget' }

export type Call<Body, Query> = {
  /** The merchant behind the token; empty for an endpoint without one. */
  merchantId: string
  body: Body
  query: Query
  origin: string | undefined
  /** The Idempotency-Key header, where the endpoint takes one. */
  idempotencyKey: string | undefined
}
/** `created`: true answers 201, false is a replay; without it nothing was to be created. */
export type Reply = { body: object; created?: boolean }

/** All that is to be known of an endpoint from outside: the OpenAPI document is made of it. */
export type Endpoint = {
  method: 'get' | 'post' | 'delete'
  path: string
  auth: Auth
  summary: string
  /** What a merchant's developer should know before the first call, in a few sentences. */
  description: string
  body?: z.ZodType
  query?: z.ZodType
  idempotencyKey?: 'optional' | 'required'
  /** The body of its 200, and of its 201 if it creates. */
  response: z.ZodType
  /** Answers 201 at first and 200 to a replay. */
  creates?: true
  /** Failures of its own; those of tokens, origins, limits, bodies and keys follow from what is declared above. */
  errors: readonly ErrorCode[]
  run(ctx: Context): RequestHandler
}

type Declaration<Body extends z.ZodType, Query extends z.ZodType> = Omit<
  Endpoint,
  'run' | 'body' | 'query'
> & {
  body?: Body
  query?: Query
  handle(ctx: Context, call: Call<z.infer<Body>, z.infer<Query>>): Promise<Reply>
}

/** Declares an endpoint; `handle` sees only what passed the checks, and throws AppError for what it refuses. */
export function endpoint<Body extends z.ZodType, Query extends z.ZodType>(
  declared: Declaration<Body, Query>,
): Endpoint {
  return {
    ...declared,
    run: (ctx) => async (request, response) => {
      try {
        const { body, created } = await declared.handle(ctx, await admit(ctx, declared, request, response))
        if (created === false) response.setHeader('X-Idempotent-Replay', 'true')
        response.status(created ? 201 : 200).json(body)
      } catch (error) {
        replyError(ctx, request, response, error)
      }
    },
  }
}

async function admit<Body extends z.ZodType, Query extends z.ZodType>(
  ctx: Context,
  declared: Declaration<Body, Query>,
  request: Request,
  response: Response,
): Promise<Call<z.infer<Body>, z.infer<Query>>> {
  const { origin } = request.headers
  const merchantId = await authorize(ctx, declared.auth, request)
  const data = declared.body && (await readJson(request, response))
  const idempotencyKey = declared.idempotencyKey && readKey(request, declared.idempotencyKey)
  const query = declared.query && validate(declared.query, { ...request.query }, 'query')
  const body = declared.body && validate(declared.body, data)
  return { merchantId, origin, idempotencyKey, body: body as z.infer<Body>, query: query as z.infer<Query> }
}

/** Who is calling, before anything of the call is read. Answers the merchant, or nothing where no token is needed. */
async function authorize(ctx: Context, auth: Auth, { headers }: Request): Promise<string> {
  switch (auth.kind) {
    case 'none':
      return ''
    case 'widget':
      await expectKnownOrigin(ctx, headers.origin)
      return ''
    case 'bearer': {
      const { merchantId } = await authenticate(ctx, headers.authorization, auth.scope)
      const foreign =
        headers.origin !== undefined && !(await isOriginTrusted(ctx, merchantId, headers.origin))
      if (foreign) throw new AppError('origin_not_trusted')
      return merchantId
    }
  }
}

/** Printable ASCII, sent once. Node joins repeated headers, so the raw list is counted. */
function readKey(request: Request, need: 'optional' | 'required'): string | undefined {
  const given = request.rawHeaders.filter(
    (name, index) => index % 2 === 0 && /^idempotency-key$/i.test(name),
  ).length
  const key = request.headers['idempotency-key']
  if (given === 0 && need === 'optional') return undefined
  if (given !== 1 || typeof key !== 'string' || key === '')
    throw new AppError('idempotency_key_required', {
      errors: { 'Idempotency-Key': 'must be sent exactly once' },
    })
  if (key.length > IDEMPOTENCY_KEY_MAX_CHARS || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key))
    throw new AppError('validation_failed', {
      errors: { 'Idempotency-Key': `must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters` },
    })
  return key
}
