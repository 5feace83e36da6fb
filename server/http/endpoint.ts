/**
 * The one way in which an endpoint of the API is declared: method, path, who may call, shapes, handler. The checks run
 * in the order of `decisions.md` 4, so that nobody without a token learns whether a body was valid.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Context, Worlds } from '../context.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../contract/fields.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { authenticate, type Scope } from '../merchants/api-key.ts'
import { expectKnownOrigin } from '../merchants/installation.ts'
import { isOriginTrusted } from '../merchants/origin.ts'
import { listWorlds, mainWorld, worldNamedBy } from '../worlds.ts'
import { hasBody, readJson } from './body.ts'
import { refuseCardData } from './card-data.ts'
import { checkMetadata } from './metadata.ts'
import { refuseUnstorable } from './plain-data.ts'
import { addressOf, isByKey, type Limited, takeTokens } from './rate-limit.ts'
import { replyError } from './reply-error.ts'
import { validate } from './validate.ts'

export type Auth = { kind: 'none' } | { kind: 'bearer'; scope: Scope } | { kind: 'widget' }

export type Call<Body, Query, Params> = {
  /** The merchant behind the token; empty for an endpoint without one. */
  merchantId: string
  body: Body
  query: Query
  params: Params
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
  /** Whose calls are counted together, and how many of them are taken: a row of `rate-limit.ts`. */
  limited: Limited
  summary: string
  /** What a merchant's developer should know before the first call, in a few sentences. */
  description: string
  body?: z.ZodType
  /** No body at all is an empty object. */
  bodyOptional?: true
  query?: z.ZodType
  /** The ids in the path. */
  params?: z.ZodType
  idempotencyKey?: 'optional' | 'required'
  /** The body of its 200, and of its 201 if it creates. */
  response: z.ZodType
  /** Answers 201 at first and 200 to a replay. */
  creates?: true
  /** Failures of its own; those of tokens, origins, limits, bodies and keys follow from what is declared above. */
  errors: readonly ErrorCode[]
  run(worlds: Worlds): RequestHandler
}

type Declaration<Body extends z.ZodType, Query extends z.ZodType, Params extends z.ZodType> = Omit<
  Endpoint,
  'run' | 'body' | 'query' | 'params'
> & {
  body?: Body
  query?: Query
  params?: Params
  handle(ctx: Context, call: Call<z.infer<Body>, z.infer<Query>, z.infer<Params>>): Promise<Reply>
}

/** Declares an endpoint; `handle` sees only what passed the checks, and throws AppError for what it refuses. */
export function endpoint<Body extends z.ZodType, Query extends z.ZodType, Params extends z.ZodType>(
  declared: Declaration<Body, Query, Params>,
): Endpoint {
  return {
    ...declared,
    run: (worlds) => async (request, response) => {
      const started = performance.now()
      let ctx = mainWorld(worlds)
      let leave = () => {}
      try {
        ctx = worldOfCaller(worlds, declared.auth, request)
        // A widget's world is known only once its body was read.
        const isKnown = declared.auth.kind !== 'widget'
        if (isKnown) leave = await enterWorld(worlds, ctx)
        const admitted = await admit(worlds, ctx, declared, request, response)
        ctx = admitted.ctx
        if (!isKnown) leave = await enterWorld(worlds, ctx)
        const { body, created } = await declared.handle(ctx, admitted.call)
        if (created === false) response.setHeader('X-Idempotent-Replay', 'true')
        response.status(created ? 201 : 200).json(body)
      } catch (error) {
        replyError(ctx, request, response, error)
      } finally {
        leave()
      }
      const { method, path: endpoint } = declared
      const seconds = (performance.now() - started) / 1_000
      ctx.metrics.answered({ endpoint, method, status: response.statusCode, seconds })
    },
  }
}

/** Beside a live world, sandbox requests wait for their turn. @throws AppError rate_limited when there are too many */
async function enterWorld({ share }: Worlds, { world }: Context): Promise<() => void> {
  if (!share) return () => {}
  const leave = await share.enter(world)
  if (!leave)
    throw new AppError('rate_limited', {
      message: 'The sandbox has too many requests at once. Send them one after the other.',
      retryAfterSeconds: 1,
    })
  return leave
}

/** A token says its world. @throws AppError invalid_token for a world that is not served here */
function worldOfCaller(worlds: Worlds, auth: Auth, { headers }: Request): Context {
  if (auth.kind !== 'bearer') return mainWorld(worlds)
  const ctx = worldNamedBy(worlds, headers.authorization?.replace(/^Bearer /i, '') ?? '')
  if (!ctx)
    throw new AppError('invalid_token', { hint: 'This service does not serve the world of this token.' })
  return ctx
}

async function admit<Body extends z.ZodType, Query extends z.ZodType, Params extends z.ZodType>(
  worlds: Worlds,
  caller: Context,
  declared: Declaration<Body, Query, Params>,
  request: Request,
  response: Response,
): Promise<{ ctx: Context; call: Call<z.infer<Body>, z.infer<Query>, z.infer<Params>> }> {
  const { origin } = request.headers
  const { merchantId, tokenId } = await authorize(worlds, caller, declared.auth, { request, response })
  const { ctx, data } = await readWithinLimits(worlds, caller, declared, { request, response, tokenId })
  const idempotencyKey = declared.idempotencyKey && readKey(request, declared.idempotencyKey)
  const asked = { ...request.query }
  const parts = Object.entries({
    'Idempotency-Key': idempotencyKey,
    path: request.params,
    query: asked,
    body: data,
  })
  for (const [name, part] of parts) refuseCardData(part, name)
  for (const [name, part] of parts) refuseUnstorable(part, name)
  const params = declared.params && validate(declared.params, { ...request.params }, 'path')
  const query = declared.query && validate(declared.query, asked, 'query')
  const body = declared.body && validate(declared.body, data)
  checkMetadata(body)
  return {
    ctx,
    call: {
      merchantId,
      origin,
      idempotencyKey,
      body: body as z.infer<Body>,
      query: query as z.infer<Query>,
      params: params as z.infer<Params>,
    },
  }
}

/**
 * A widget's caller is told apart by the public key in its body, and that key says the world. So the body has to be read
 * before the caller can be counted. All other endpoints count first.
 */
async function readWithinLimits(
  worlds: Worlds,
  caller: Context,
  { limited, body, bodyOptional }: Pick<Endpoint, 'limited' | 'body' | 'bodyOptional'>,
  { request, response, tokenId }: { request: Request; response: Response; tokenId: string },
): Promise<{ ctx: Context; data: unknown }> {
  const counted = { token: tokenId, address: addressOf(request) }
  if (!isByKey(limited)) await takeTokens(caller, response, limited, counted)
  if (bodyOptional && !hasBody(request)) return { ctx: caller, data: {} }
  const reading = body && readJson(request, response)
  if (!isByKey(limited)) return { ctx: caller, data: await reading }
  const read = (await reading?.catch(() => null)) as { publicKey?: unknown } | null | undefined
  const key = String(read?.publicKey ?? '')
  const ctx = worldNamedBy(worlds, key) ?? caller
  await takeTokens(ctx, response, limited, { ...counted, key })
  return { ctx, data: await reading }
}

const NOBODY = { merchantId: '', tokenId: '' }

/** Who is calling, before anything of the call is read. Answers the merchant, or nobody where no token is needed. */
async function authorize(
  worlds: Worlds,
  ctx: Context,
  auth: Auth,
  { request, response }: { request: Request; response: Response },
): Promise<typeof NOBODY> {
  const { origin } = request.headers
  switch (auth.kind) {
    case 'none':
      return NOBODY
    case 'widget':
      await expectKnownOrigin(listWorlds(worlds), origin)
      return NOBODY
    case 'bearer': {
      const { merchantId, id } = await authenticateWithinLimits(ctx, auth.scope, request, response)
      const foreign = origin !== undefined && !(await isOriginTrusted(ctx, merchantId, origin))
      if (foreign) throw new AppError('origin_not_trusted')
      return { merchantId, tokenId: id }
    }
  }
}

/**
 * Wrong tokens count against their address, and past its limit are 429. A right one works all the same: whoever shares an
 * address with a program that holds on to an old token must not be locked out by it, least of all just after a rotation.
 */
async function authenticateWithinLimits(ctx: Context, scope: Scope, request: Request, response: Response) {
  try {
    return await authenticate(ctx, request.headers.authorization, scope)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_token')
      await takeTokens(ctx, response, 'failed_token', { address: addressOf(request) })
    throw error
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
