/**
 * The official library as it is used here: it builds requests and reads answers, and every request goes out through the
 * account's own `ProviderHttp`, once.
 * Rule: what Stripe says in an error may hold a buyer's data. Only its codes are kept.
 */
import type Stripe from 'stripe'
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import type { ProviderCall } from '../driver.ts'
import { STRIPE_API, type StripeSettings } from './settings.ts'

export type StripeCall = ProviderCall<StripeSettings>

/** Answers have this version's form, whatever the account's own default is. */
export const API_VERSION = '2026-10-28.endive'
const AGENT = 'Kassa (official stripe package)'
/** The library's other headers describe the machine, and are not sent. */
const HEADERS_SENT = ['accept', 'authorization', 'content-type', 'idempotency-key', 'stripe-version']
const HEADERS_READ = ['request-id', 'idempotent-replayed']

/** `refused`: Stripe said no, and did nothing. `taken`: the key belongs to another request, or to one that broke. */
type Verdict =
  | { kind: 'refused'; code: string; param: string | null; declineCode: string | null; intent: unknown }
  | { kind: 'taken' }
export type Refusal = Extract<Verdict, { kind: 'refused' }>

/** Of answers that say no only for now, or do not say what became of the request. */
const PASSING_CODES = ['idempotency_key_in_use', 'lock_timeout', 'rate_limit']

/**
 * Sends what `act` asks of the library.
 * @throws Error of ProviderHttp where there is no whole answer; else one whose message holds Stripe's codes and nothing more.
 *   `refusalOf` and `isKeyTaken` read it.
 */
export async function ask<Answer>(
  call: StripeCall,
  act: (stripe: Stripe) => Promise<Answer>,
): Promise<Answer> {
  const { SECRET_KEY, API_BASE = STRIPE_API } = call.settings
  const { protocol, hostname, port } = new URL(API_BASE)
  const isPlain = protocol === 'http:'
  const seen: Seen = { failure: null, isReplay: false }
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
    throw error instanceof library.Stripe.errors.StripeError ? explain(error, seen.isReplay) : error
  }
}

/** The library takes 300 ms and 35 MB: only processes that call Stripe load it. */
export async function load(): Promise<{ Stripe: typeof Stripe }> {
  return { Stripe: (await import('stripe')).default }
}

/** `failure`: why no answer came; the library would hide it. `isReplay`: of the last answer. */
type Seen = { failure: unknown; isReplay: boolean }

function httpClientOf(call: StripeCall, seen: Seen) {
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
          headers: { ...pick(headers, HEADERS_SENT), 'user-agent': AGENT },
          ...(method === 'POST' && { body }),
        })
        seen.isReplay = answer.headers['idempotent-replayed'] === 'true'
        return {
          getStatusCode: () => answer.status,
          getHeaders: () => pick(answer.headers, HEADERS_READ),
          getRawResponse: () => ({}),
          toStream: () => null,
          toJSON: async () => JSON.parse(answer.text) as unknown,
        }
      } catch (error) {
        seen.failure = error
        // A plain error: the library would send the request again after one with the code of a closed connection.
        throw new Error('no answer')
      }
    },
  }
}

function pick(headers: object, names: readonly string[]): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(own.filter(([name]) => names.includes(name)))
}

function explain(error: Stripe.errors.StripeError, isReplay: boolean): Error {
  const { statusCode = 0, type, rawType, code = rawType ?? type, requestId } = error
  const verdict = verdictOf(error, isReplay)
  const text = `Stripe answered ${statusCode} (${code})${requestId ? `, request ${requestId}` : ''}`
  const message = statusCode === 401 ? 'Stripe refuses the secret key' : text
  return Object.assign(new Error(message), { name: 'StripeAnswer', verdict, statusCode })
}

function verdictOf(error: Stripe.errors.StripeError, isReplay: boolean): Verdict | null {
  const { statusCode = 0, rawType, code = '', param = null } = error
  if (rawType === 'idempotency_error') return code === 'idempotency_key_in_use' ? null : { kind: 'taken' }
  // Stripe keeps a 500 under its key, so this request never gets another answer.
  if (statusCode >= 500) return isReplay ? { kind: 'taken' } : null
  const isNo = rawType === 'card_error' || rawType === 'invalid_request_error'
  if (!isNo || ![400, 402, 404].includes(statusCode) || PASSING_CODES.includes(code)) return null
  const { decline_code: declineCode = null, payment_intent: intent = null } = error
  return { kind: 'refused', code: code || rawType, param, declineCode, intent }
}

function verdictIn(error: unknown): Verdict | null {
  const isOurs = error instanceof Error && error.name === 'StripeAnswer'
  return isOurs ? ((error as { verdict?: Verdict | null }).verdict ?? null) : null
}

/** Null unless Stripe said no for good, and did nothing. */
export function refusalOf(error: unknown): Refusal | null {
  const verdict = verdictIn(error)
  return verdict?.kind === 'refused' ? verdict : null
}

/** Whether the same request was under way with this key before, with other parameters or with an error of Stripe's own. */
export function isKeyTaken(error: unknown): boolean {
  return verdictIn(error)?.kind === 'taken'
}

export function isMissing(error: unknown): boolean {
  return refusalOf(error)?.code === 'resource_missing'
}

/** @throws Error for what does not read as Stripe's answer; WrongModeError for what belongs to the other kind of money */
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

const REFUSALS: Record<string, string> = {
  amount_too_small: 'the amount is below the smallest one that Stripe takes in this currency',
  amount_too_large: 'the amount is above the largest one that Stripe takes',
  balance_insufficient: "the account's balance at Stripe is too low for this refund",
  capture_charge_authorization_expired: 'the authorization has expired',
  charge_already_captured: 'the payment is captured already',
  charge_already_refunded: 'the payment is refunded already',
  charge_disputed: 'the buyer disputes the payment, so it cannot be refunded',
  charge_expired_for_capture: 'the authorization has expired',
  payment_intent_unexpected_state: 'the payment at Stripe is in a state that does not allow this',
  refund_disputed_payment: 'the buyer disputes the payment, so it cannot be refunded',
  resource_missing: 'Stripe knows no such object in this account',
}

/** Why Stripe refused, without anything that Stripe's own text may hold. */
export function sayRefusal({ code, param }: Refusal): string {
  return REFUSALS[code] ?? `Stripe refused (${code}${param ? `, ${param}` : ''})`
}
