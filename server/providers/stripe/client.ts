/**
 * How the official library is used: it builds requests and reads responses. Every request is sent by the account's own
 * `ProviderHttp`, once.
 * Rule: the text of a Stripe error may contain a buyer's data. Only its codes are kept.
 */
import type Stripe from 'stripe'
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import { AccountRefusedError, RetryLaterError, UnreadableError } from '../driver/refusal.ts'
import type { ProviderCall } from '../driver.ts'
import { accountRefusalOf, describeAccountRefusal } from './refusals.ts'
import { STRIPE_API, type StripeSettings } from './settings.ts'

export type StripeCall = ProviderCall<StripeSettings>

/** Responses have the form of this version, whatever the account's own default is. */
export const API_VERSION = '2026-10-28.endive'
const AGENT = 'Kassa (official stripe package)'
/** The library's other headers describe the machine. They are not sent. */
const HEADERS_SENT = ['accept', 'authorization', 'content-type', 'idempotency-key', 'stripe-version']
const HEADERS_READ = ['request-id', 'idempotent-replayed', 'retry-after', 'date']

/**
 * `refused`: Stripe rejected the request and did nothing. `taken`: the key belongs to another request, or to one that failed at
 * Stripe.
 */
type Verdict =
  | { kind: 'refused'; code: string; param: string | null; declineCode: string | null; intent: unknown }
  | { kind: 'taken' }
export type Refusal = Extract<Verdict, { kind: 'refused' }>

/**
 * Stripe limits requests before it looks at their key, and rejects one that waits too long for an object that another request
 * changes. Either way it has done nothing. A key that is in use is another matter: then the first request with it may still act.
 */
const RETRY_LATER_CODES = ['lock_timeout', 'rate_limit']

/**
 * Sends the library's request that `act` makes.
 * @throws Error of ProviderHttp if there is no complete response; AccountRefusedError if Stripe refuses the key or the account;
 * RetryLaterError if Stripe rejected the request only for the moment; otherwise an Error whose message has only Stripe's codes.
 * `refusalOf` and `isKeyTaken` read it.
 */
export async function askStripe<Answer>(
  call: StripeCall,
  act: (stripe: Stripe) => Promise<Answer>,
): Promise<Answer> {
  const { SECRET_KEY, API_BASE = STRIPE_API } = call.settings
  const { protocol, hostname, port } = new URL(API_BASE)
  const isPlain = protocol === 'http:'
  const seen: SeenResponse = { failure: null, isReplay: false, headers: {} }
  const library = await load()
  const stripe = new library.Stripe(SECRET_KEY, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    telemetry: false,
    host: hostname,
    port: port || (isPlain ? '80' : '443'),
    protocol: isPlain ? 'http' : 'https',
    httpClient: httpClientOf(call, seen),
  })
  try {
    return await act(stripe)
  } catch (error) {
    if (seen.failure) throw seen.failure
    throw error instanceof library.Stripe.errors.StripeError ? explain(error, seen) : error
  }
}

/** The library takes 300 ms and 35 MB, so only processes that call Stripe load it. */
export async function load(): Promise<{ Stripe: typeof Stripe }> {
  return { Stripe: (await import('stripe')).default }
}

/**
 * `failure`: why no response came, or why it cannot be read, which the library would hide. `isReplay`: whether the last response was a
 * replay.
 */
type SeenResponse = { failure: unknown; isReplay: boolean; headers: Record<string, string> }

function httpClientOf(call: StripeCall, seen: SeenResponse) {
  return {
    getClientName: () => 'kassa',
    async makeRequest(
      host: string,
      port: string,
      path: string,
      method: string,
      headers: object,
      body: string,
      protocol: string,
    ) {
      try {
        const answer = await call.http.request({
          method,
          url: `${protocol}://${host}:${port}${path}`,
          headers: { ...pickHeaders(headers, HEADERS_SENT), 'user-agent': AGENT },
          ...(method === 'POST' && { body }),
        })
        seen.isReplay = answer.headers['idempotent-replayed'] === 'true'
        seen.headers = pickHeaders(answer.headers, HEADERS_READ)
        return {
          getStatusCode: () => answer.status,
          getHeaders: () => seen.headers,
          getRawResponse: () => ({}),
          toStream: () => null,
          async toJSON() {
            try {
              return JSON.parse(answer.text) as unknown
            } catch (error) {
              seen.failure = unparsed(answer.status, seen.headers)
              throw error
            }
          },
        }
      } catch (error) {
        seen.failure = error
        // This must be a plain error. After an error with the code of a closed connection, the library would send the request
        // again.
        throw new Error('no answer')
      }
    },
  }
}

function pickHeaders(headers: object, names: readonly string[]): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(own.filter(([name]) => names.includes(name)))
}

/** A proxy before Stripe limits and fails too, with an answer that is not JSON. */
function unparsed(status: number, headers: Record<string, string>): Error {
  const message = `Stripe answered ${status} with something else than JSON`
  if (status === 429) return new RetryLaterError(message, headers)
  return status >= 500 ? new Error(message) : new UnreadableError(message)
}

function explain(error: Stripe.errors.StripeError, { isReplay, headers }: SeenResponse): Error {
  const { statusCode = 0, type, rawType, code = rawType ?? type, requestId } = error
  const message = `Stripe answered ${statusCode} (${code})${requestId ? `, request ${requestId}` : ''}`
  if (statusCode === 429 || RETRY_LATER_CODES.includes(code)) return new RetryLaterError(message, headers)
  const refusal = rawType === undefined ? null : accountRefusalOf(statusCode, code)
  if (refusal) return new AccountRefusedError(refusal, describeAccountRefusal(refusal, code))
  const verdict = verdictOf(error, isReplay)
  return Object.assign(new Error(message), { name: 'StripeAnswer', verdict })
}

function verdictOf(error: Stripe.errors.StripeError, isReplay: boolean): Verdict | null {
  const { statusCode = 0, rawType, code = '', param = null } = error
  if (rawType === 'idempotency_error') return code === 'idempotency_key_in_use' ? null : { kind: 'taken' }
  // Stripe keeps a 500 under its key, so this request never gets another response.
  if (statusCode >= 500) return isReplay ? { kind: 'taken' } : null
  const isNo = rawType === 'card_error' || rawType === 'invalid_request_error'
  if (!isNo || ![400, 402, 404].includes(statusCode) || code === 'idempotency_key_in_use') return null
  const { decline_code: declineCode = null, payment_intent: intent = null } = error
  return { kind: 'refused', code: code || rawType, param, declineCode, intent }
}

/** Returns whether this error is an answer of Stripe, and not the lack of one. */
export function isAnswer(error: unknown): error is Error {
  return error instanceof Error && error.name === 'StripeAnswer'
}

function verdictIn(error: unknown): Verdict | null {
  return isAnswer(error) ? ((error as { verdict?: Verdict | null }).verdict ?? null) : null
}

/** Returns null unless Stripe rejected the request for good and did nothing. */
export function refusalOf(error: unknown): Refusal | null {
  const verdict = verdictIn(error)
  return verdict?.kind === 'refused' ? verdict : null
}

/**
 * Returns whether this key was used before, with other parameters, by a request that is still running, or by one that failed
 * with a 500.
 */
export function isKeyTaken(error: unknown): boolean {
  return verdictIn(error)?.kind === 'taken'
}

export function isMissing(error: unknown): boolean {
  return refusalOf(error)?.code === 'resource_missing'
}

/** @throws Error for what cannot be read as Stripe's response; WrongModeError for an object of the other mode */
export function read<Shape extends z.ZodType>(
  call: StripeCall,
  shape: Shape,
  answer: unknown,
): z.infer<Shape> {
  const { livemode } = Mode.parse(answer)
  if (livemode !== undefined) expectMode(call, livemode ? 'live' : 'test')
  return shape.parse(answer)
}
const Mode = z.object({ livemode: z.boolean().optional() })
