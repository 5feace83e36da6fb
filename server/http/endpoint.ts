/**
 * Declares an endpoint of the API: method, path, who may call it, schemas and handler. The checks run in the order of
 * `decisions.md` 4, so that nobody without a token learns whether a body is valid.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { refuseCardData } from '../card-number/card-data.ts'
import { walk } from '../card-number/walk.ts'
import type { Context, Worlds } from '../context.ts'
import type { OperationResponse } from '../contract/operation.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { StrangerCost } from '../limits/cost.ts'
import { isBy, type Limited } from '../limits/limited.ts'
import { expectKnownOrigin } from '../merchants/installation.ts'
import { translate } from '../messages/translate.ts'
import type { Returner } from '../payments/return-limits.ts'
import { isOfOtherWorld, listWorlds, mainWorld, worldNamedBy } from '../worlds.ts'
import { idsIn, idsOf, noteAbout, noteStep } from './access-log.ts'
import { type Auth, authorize } from './authorize.ts'
import { callerOf } from './caller.ts'
import { asMeant } from './json/as-meant.ts'
import { type ReadJson, readJson } from './json/body.ts'
import { waitAsPreferred } from './prefer.ts'
import { enterWorld, takePermits } from './rate-limit.ts'
import { replyError, sendJson } from './reply-error.ts'
import { readIfRefunded, readKey } from './request-headers.ts'
import { checkMetadata, refuseUnstorable } from './request-values.ts'
import { collectProblems, validate } from './validate.ts'

export type Call<Body, Query, Params> = {
  /** The merchant of the token. Empty for an endpoint that needs no token. */
  merchantId: string
  /** Whose limits a return counts against. Null where there are none. */
  returner: Returner | null
  body: Body
  query: Query
  params: Params
  origin: string | undefined
  /** Returns the caller's IP address. */
  address(): string
  /** The Accept-Language header. */
  languages: string | undefined
  /** The Idempotency-Key header, if the endpoint accepts one. */
  idempotencyKey: string | undefined
  /** The Kassa-If-Refunded-Minor header, if the endpoint accepts one. */
  ifRefundedMinor: number | undefined
}
/** `created`: true for the status 201, false for a replay. Undefined if the endpoint creates nothing. */
export type Reply = { body: object; created?: boolean }

/** Everything about an endpoint that callers need to know. The OpenAPI document is generated from it. */
export type Endpoint = {
  method: 'get' | 'post' | 'delete'
  path: string
  auth: Auth
  /** The rate limits of the endpoint: a row of the table in `rate-limit.ts`. */
  limited: Limited
  /** What a call without a token, or with an unknown id, may cost. */
  stranger: StrangerCost
  summary: string
  /** What a merchant's developer should know before the first call, in a few sentences. */
  description: string
  body?: z.ZodType
  /** Set if its body is limited to fewer bytes than usual. */
  bodyBytesMax?: number
  /** A request without a body counts as an empty object. */
  bodyOptional?: true
  query?: z.ZodType
  /** The ids in the path. */
  params?: z.ZodType
  idempotencyKey?: 'optional' | 'required'
  /** The body of the responses 200 and 201. */
  response: z.ZodType
  /** Responds 201 at first, and 200 to a replay. */
  creates?: true
  /** Card numbers are rejected anywhere in every field, also inside identifiers: the contract's rule for saved cards. */
  strictCardData?: true
  /** `Prefer: wait` makes the response wait until its operation is decided. */
  waits?: true
  /** Accepts the header Kassa-If-Refunded-Minor. */
  comparesRefunded?: true
  /** Not in the interface of version 0.1.0. The document says so. */
  addition?: true
  /** The errors of its handler. Errors of tokens, origins, limits, bodies and keys follow from the other fields. */
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
  /**
   * Checks what the schema of the body cannot express, such as the limits of a time. It gets the body as it was meant, even if the
   * schema rejects it, and skips the fields that the schema rejects. @throws AppError with every field that is wrong
   */
  checkTerms?(
    ctx: Context,
    sent: { merchantId: string; idempotencyKey: string | undefined; body: unknown },
  ): Promise<void>
  handle(ctx: Context, call: Call<z.infer<Body>, z.infer<Query>, z.infer<Params>>): Promise<Reply>
}

/** Declares an endpoint. `handle` gets only calls that passed the checks, and throws AppError for those that it rejects. */
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
        const admitted = await admit(worlds, ctx, declared, request, response)
        ctx = admitted.ctx
        if (declared.auth.kind !== 'none')
          leave = await enterWorld(ctx, response, admitted.call.merchantId || declared.auth.kind)
        const { body: answer, created } = await declared.handle(ctx, admitted.call)
        // Give the place back while the request waits.
        leave()
        leave = () => {}
        const { merchantId } = admitted.call
        const body = declared.waits
          ? await waitAsPreferred(ctx, merchantId, answer as OperationResponse, { request, response })
          : answer
        if (declared.method !== 'get') noteStep(response, idsIn(body))
        if (created === false) response.setHeader('X-Idempotent-Replay', 'true')
        sendJson(response, created ? 201 : 200, body)
      } catch (error) {
        replyError(ctx, request, response, addOtherWorldHint(ctx, request, error))
      } finally {
        leave()
        response.locals.world = ctx.world
      }
      const { method, path: endpoint } = declared
      const seconds = (performance.now() - started) / 1_000
      ctx.metrics.answered({ endpoint, method, status: response.statusCode, seconds })
    },
  }
}

/** The world is a part of every id, so the hint does not tell whether the id exists in the other world. */
function addOtherWorldHint(ctx: Context, { params, query }: Request, error: unknown): unknown {
  if (!(error instanceof AppError) || !error.code.endsWith('_not_found')) return error
  const ids = [...Object.values(params), query.paymentId]
  if (!ids.some((id) => typeof id === 'string' && isOfOtherWorld(ctx, id))) return error
  const hint =
    ctx.world === 'live'
      ? 'This id belongs to the sandbox, and your token to the live world.'
      : 'This id belongs to the live world, and your token to the sandbox.'
  return new AppError(error.code, { ...error.details, hint })
}

/** The world is a part of every token. @throws AppError invalid_token for a world that is not served here */
function worldOfCaller(worlds: Worlds, auth: Auth, { headers }: Request): Context {
  if (auth.kind !== 'bearer') return mainWorld(worlds)
  const ctx = worldNamedBy(worlds, headers.authorization?.replace(/^Bearer[ \t]+/i, '') ?? '')
  if (!ctx) throw new AppError('invalid_token', { hint: translate('en', 'errors.token.otherWorld') })
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
  const { merchantId, tokenId, returner } = await authorize(caller, declared.auth, { request, response })
  if (merchantId) noteAbout(response, { merchantId })
  if (declared.params) noteAbout(response, idsOf(request.params))
  const { ctx, sent } = await readWithinLimits(worlds, caller, declared, { request, response, tokenId })
  const data = asMeant(declared.body, sent?.data)
  const problems = collectProblems()
  const idempotencyKey = problems.check(
    () => declared.idempotencyKey && readKey(request, declared.idempotencyKey),
  )
  const ifRefundedMinor = problems.check(() =>
    declared.comparesRefunded ? readIfRefunded(request) : undefined,
  )
  const givenQuery = request.url.includes('?') ? { ...request.query } : {}
  const parts = [
    { name: 'Idempotency-Key', part: idempotencyKey, all: [] },
    { name: 'path', part: request.params, all: walk(request.params) },
    { name: 'query', part: givenQuery, all: walk(givenQuery) },
    // Most bodies are meant as they were sent, and then they have been visited already.
    { name: 'body', part: data, all: sent && data === sent.data ? sent.all : walk(data) },
  ]
  for (const { name, part, all } of parts)
    refuseCardData(part, name, { strict: declared.strictCardData ?? false, all })
  for (const { name, all } of parts) problems.check(() => refuseUnstorable(all, name))
  const check = <Schema extends z.ZodType>(schema: Schema | undefined, part: unknown, name: string) =>
    problems.check(() => schema && validate(schema, part, name))
  const params = check(declared.params, { ...request.params }, 'path')
  const query = check(declared.query, givenQuery, 'query')
  const body = check(declared.body, data, 'body')
  problems.check(() => checkMetadata(data, ctx.world))
  const { checkTerms } = declared
  if (checkTerms) await problems.checkLater(() => checkTerms(ctx, { merchantId, idempotencyKey, body: data }))
  problems.rejectIfWrong()
  return {
    ctx,
    call: {
      merchantId,
      returner,
      origin,
      address: () => callerOf(request).address,
      languages: request.headers['accept-language'],
      idempotencyKey,
      ifRefundedMinor,
      body: body as z.infer<Body>,
      query: query as z.infer<Query>,
      params: params as z.infer<Params>,
    },
  }
}

/**
 * Counts the call against its rate limits and reads the body. A widget's call is counted by the public key in its body, which also
 * names the world, so its body is read first. All other endpoints count first.
 */
async function readWithinLimits(
  worlds: Worlds,
  caller: Context,
  {
    limited,
    body,
    bodyBytesMax,
    bodyOptional,
  }: Pick<Endpoint, 'limited' | 'body' | 'bodyBytesMax' | 'bodyOptional'>,
  { request, response, tokenId }: { request: Request; response: Response; tokenId: string },
): Promise<{ ctx: Context; sent: ReadJson | undefined }> {
  const counted = { token: tokenId, ...(isBy(limited, 'address') && callerOf(request)) }
  if (!isBy(limited, 'key')) await takePermits(caller, response, limited, counted)
  const reading = body && readJson(request, { bodyOptional, bytesMax: bodyBytesMax })
  if (!isBy(limited, 'key')) return { ctx: caller, sent: await reading }
  const read = (await reading?.catch(() => null))?.data as { publicKey?: unknown } | null | undefined
  const key = typeof read?.publicKey === 'string' ? read.publicKey : ''
  const ctx = worldNamedBy(worlds, key) ?? caller
  await expectKnownOrigin(listWorlds(worlds), request.headers.origin ?? '', { ctx, publicKey: key })
  noteAbout(response, idsOf({ publicKey: key }))
  await takePermits(ctx, response, limited, { ...counted, key })
  return { ctx, sent: await reading }
}
