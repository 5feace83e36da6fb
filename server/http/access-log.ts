/**
 * Logs one line for each request: its id, the endpoint, the status and the ids of what it was about. A request that did something
 * is logged at level info, so that a payment's id finds it. All others, such as look-ups and pages, are logged at level debug.
 * The line never has the address, a header or a body as they were sent, because a caller chooses them.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { ID_BODY } from '../id.ts'
import { createMemoryBuckets } from '../limits/token-bucket.ts'
import { mainWorld } from '../worlds.ts'

/** Ids that this service has made, and nothing that a caller wrote. */
export type About = Record<string, string | undefined>
type Noted = { requestId: string; world?: World; about?: About; isStep?: true }

/** Each line has the world of the request. A request without a world is logged under the main world. */
export function accessLog(worlds: Worlds): RequestHandler {
  return (request, response, next) => {
    if (!mainWorld(worlds).log.isLevelEnabled('info')) return next()
    const started = performance.now()
    response.once('close', () => {
      const { requestId, world, about, isStep } = response.locals as Noted
      const { log } = (world && worlds[world]) ?? mainWorld(worlds)
      const level = isStep ? 'info' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const ms = Math.round(performance.now() - started)
      const answered = response.writableFinished ? { status: response.statusCode } : { cutOff: true }
      const { method } = request
      log[level]({ requestId, method, endpoint: endpointOf(request), ...answered, ms, ...about }, 'request')
    })
    next()
  }
}

/** The path as it was declared, such as `/v1/payments/:paymentId/refunds`. */
export function endpointOf(request: Request): string | undefined {
  const { path } = (request.route ?? {}) as { path?: unknown }
  return typeof path === 'string' ? path : undefined
}

/** Adds ids to the request's line, and to the line of its error. */
export function noteAbout(response: Response, about: About): void {
  response.locals.about ??= {}
  Object.assign(response.locals.about, about)
}

/** The request did something. */
export function noteStep(response: Response, about: About): void {
  noteAbout(response, about)
  response.locals.isStep = true
}

/** The limit of lines for each payment and page, because anybody who knows the address can visit it as often as they like. */
const VISITS = { perSecond: 1 / 60, burst: 10 }
const visits = createMemoryBuckets()

/** The buyer went on with this payment. */
export function noteVisit(response: Response, path: string, about: { paymentId: string }): void {
  if (visits.take(`${path} ${about.paymentId}`, VISITS).waitMs === 0) noteStep(response, about)
}

export function aboutOf(request: Request): About {
  return (request.res?.locals as Noted | undefined)?.about ?? {}
}

const OUR_FORM = new RegExp(`^([a-z]{3}_(test_)?${ID_BODY}|kpk_(sandbox|live)_[\\w-]{26})$`)

/** Returns those of a caller's texts that have the form of our ids and public keys. All others can be anything. */
export function idsOf(texts: Record<string, unknown>): About {
  const isOurs = (text: unknown) => typeof text === 'string' && OUR_FORM.test(text)
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => isOurs(text))) as About
}

type Answer = {
  id?: string
  paymentId?: string
  linkId?: string
  status?: string
  operation?: { id: string; paymentSessionId?: string | undefined }
  token?: { id: string }
  subscription?: { id: string }
}

/** Returns the ids in a response of the API. */
export function idsIn(body: object): About {
  const { id, paymentId = id, linkId, status, operation, token, subscription } = body as Answer
  if (!operation) return { paymentId, linkId, paymentStatus: status }
  return {
    paymentId: operation.paymentSessionId,
    operationId: operation.id,
    savedMethodId: token?.id,
    subscriptionId: subscription?.id,
  }
}
