/**
 * Requests to PayPal's API with the account's access token.
 * Rule: a refusal counts only if it has PayPal's own error body. Everything else that is not a success is an error with an
 * unknown outcome.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import { type AccountRefusal, AccountRefusedError, type Refusal, RetryLaterError } from '../driver/refusal.ts'
import { asWord } from '../driver/words.ts'
import type { ProviderCall } from '../driver.ts'
import type { ProviderRequest, ProviderResponse } from '../http.ts'
import { isKnownIssue, meaningOfIssue } from './issues.ts'
import { apiOf, modeStatedBy, type PaypalSettings } from './settings.ts'
import { AccessToken, Links, Refusal as RefusalBody } from './wire.ts'

export type PaypalCall = ProviderCall<PaypalSettings>

/** `requestId`: the PayPal-Request-Id. PayPal does a write once for each id. */
type PaypalRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** A text is sent unchanged. */
  body?: object | string
  requestId?: string
  /** A POST that changes nothing. */
  isRead?: true
  /** What the request asks for can be done without, so a refusal of the account is returned like any other. */
  isExtra?: true
} & OptionalRequest

/** How a request is sent that the call can do without. */
type OptionalRequest = Pick<ProviderRequest, 'isOptional' | 'timeoutMs'>

/** `body`: null for a response without a body (204). */
export type PaypalAnswer =
  | { kind: 'ok'; status: number; body: unknown }
  | {
      kind: 'refused'
      status: number
      name: string
      issues: string[]
      debugId: string | null
      links: { rel: string; href: string }[]
    }

const SECOND_MS = 1_000
/** A token is not used in its last minute, because it could expire on the way. */
const TOKEN_MARGIN_MS = 60 * SECOND_MS

/**
 * @throws AccountRefusedError if PayPal refuses the account, its rights or its credentials, whatever the request was about;
 * RetryLaterError if PayPal limits our requests; WrongModeError for an object of the other mode; Error for everything that is not a
 * response of PayPal
 */
export async function askPaypal(call: PaypalCall, request: PaypalRequest): Promise<PaypalAnswer> {
  const answer = await sendWithToken(call, request)
  if (answer.kind !== 'refused' || request.isExtra) return answer
  for (const issue of answer.issues.filter((each) => !isKnownIssue(each)))
    call.noteWord?.(asWord('issue of a refusal', issue))
  const refusal = accountRefusalOf(answer)
  if (!refusal) return answer
  // The number differs at each refusal, and the reason of the account's state should not.
  const { debugId } = answer
  call.log('warn', 'PayPal refused the account', { debugId })
  throw new AccountRefusedError(refusal, whyRefused({ ...answer, debugId: null }))
}

async function sendWithToken(call: PaypalCall, request: PaypalRequest): Promise<PaypalAnswer> {
  const used = await tokenOf(call)
  const answer = await send(call, request, used.token)
  if (answer.status !== 401) return readAnswer(call, answer)
  // A token can end before its time. PayPal has done nothing, so the request is sent again once with a new token.
  used.end()
  const again = await send(call, request, (await tokenOf(call)).token)
  if (again.status === 401)
    throw new AccountRefusedError('account', 'PayPal accepts the credentials, and then refuses the account.')
  return readAnswer(call, again)
}

/** For an order or resource that must exist. Returns null for a 404. @throws Error for every other refusal */
export async function readPaypal(
  call: PaypalCall,
  path: string,
  options: OptionalRequest & Pick<PaypalRequest, 'isExtra'> = {},
): Promise<unknown> {
  const answer = await askPaypal(call, { method: 'GET', path, ...options })
  if (answer.kind === 'ok') return answer.body
  if (answer.status === 404) return null
  throw new Error(whyRefused(answer))
}

/** Returns PayPal's names of the problem and its number for PayPal's support. They contain nothing private. */
export function whyRefused({
  status,
  name,
  issues,
  debugId,
}: Extract<PaypalAnswer, { kind: 'refused' }>): string {
  const what = issues.length > 0 ? issues.join(', ') : name
  return `PayPal refused with ${status} ${what}${debugId === null ? '' : ` (debug id ${debugId})`}`
}

/** Gets one access token at a time for an account. Concurrent callers share one request for it. */
async function tokenOf(call: PaypalCall): Promise<{ token: string; end(): void }> {
  const { cache } = call.account
  const { CLIENT_ID, CLIENT_SECRET } = call.settings
  // A rotated secret gets a new token, so that it is tried at once.
  const whose = createHash('sha256').update(`${CLIENT_ID}\n${CLIENT_SECRET}`).digest('hex').slice(0, 16)
  const count = await cache.get(`tokens of ${whose}`, async () => ({
    value: { number: 1 },
    lifetimeMs: Number.POSITIVE_INFINITY,
  }))
  const { number } = count
  const name = `token ${number} of ${whose}`
  const token = await cache.get(name, async () => {
    const { access_token: value, expires_in } = await fetchToken(call)
    return { value, lifetimeMs: Math.max(expires_in * SECOND_MS - TOKEN_MARGIN_MS, SECOND_MS) }
  })
  return {
    token,
    end() {
      // Only the first refused caller deletes the token. Otherwise the others would delete its successor.
      if (count.number !== number) return
      count.number++
      cache.drop(name)
    },
  }
}

/** @throws Error that tells if PayPal refuses the credentials */
export async function fetchToken(call: PaypalCall): Promise<AccessToken> {
  const { CLIENT_ID, CLIENT_SECRET } = call.settings
  const { status, text, headers } = await call.http.request({
    method: 'POST',
    url: `${apiOf(call.settings)}/v1/oauth2/token`,
    headers: {
      authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: 'grant_type=client_credentials',
    isRead: true,
  })
  if (status === 401) throw new CredentialsRefused()
  if (status === 429)
    throw new RetryLaterError('PayPal answered 429 to the request for an access token', headers)
  if (status !== 200) throw new Error(`PayPal answered ${status} to the request for an access token`)
  return AccessToken.parse(JSON.parse(text))
}

export class CredentialsRefused extends AccountRefusedError {
  constructor() {
    super('credentials', 'PayPal does not accept the client id with this secret')
  }
}

type Refused = Pick<Extract<PaypalAnswer, { kind: 'refused' }>, 'status' | 'issues'>

function accountRefusalOf({ status, issues }: Refused): AccountRefusal | null {
  const meanings = issues.map(meaningOfIssue)
  if (meanings.includes('account')) return 'account'
  return status === 403 || meanings.includes('rights') ? 'rights' : null
}

/** Returns what the refusal of a new order, or of the saving of a method, is about. One of the account is an AccountRefusedError. */
export function kindOf({ issues }: Refused): Refusal {
  return issues.some((issue) => meaningOfIssue(issue) === 'amount') ? 'amount' : 'request'
}

async function send(call: PaypalCall, request: PaypalRequest, token: string): Promise<ProviderResponse> {
  const { method, path, body, requestId, isRead, isExtra: _, ...options } = request
  return call.http.request({
    method,
    url: `${apiOf(call.settings)}${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && !isRead && { prefer: 'return=representation' }),
      ...(requestId !== undefined && { 'paypal-request-id': requestId }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(isRead && { isRead }),
    ...options,
  })
}

/** PayPal limits requests before it does anything. A conflict (409) is another matter: the same request may be under way. */
function readAnswer(call: PaypalCall, { status, text, headers }: ProviderResponse): PaypalAnswer {
  if (status === 204) return { kind: 'ok', status, body: null }
  if (status === 429) throw new RetryLaterError(`PayPal answered 429${nameIn(text)}`, headers)
  if (status >= 500 || status === 409) throw new Error(`PayPal answered ${status}`)
  const body: unknown = JSON.parse(text)
  if (status === 200 || status === 201) {
    checkMode(call, body)
    return { kind: 'ok', status, body }
  }
  if (status < 400) throw new Error(`PayPal answered ${status}`)
  const { name, debug_id, details, links } = RefusalBody.parse(body)
  const issues = details.map(({ issue }) => issue).filter((issue) => issue !== undefined)
  if (issues.some((issue) => meaningOfIssue(issue) === 'busy'))
    throw new Error(`PayPal is at work on it: ${issues.join(', ')}`)
  return { kind: 'refused', status, name, issues, debugId: debug_id ?? null, links }
}

/** Returns the name of an error that another server than PayPal's may have answered too. */
function nameIn(text: string): string {
  const [, name] = /"name"\s*:\s*"([A-Z_]{1,60})"/.exec(text) ?? []
  return name === undefined ? '' : ` ${name}`
}

/** PayPal's objects do not state their mode, but their addresses and the buyer's page show it. */
const MODE_LINKS = ['self', 'approve', 'payer-action']
const Linked = z.object({ links: Links })

function checkMode(call: PaypalCall, body: unknown): void {
  for (const { rel, href } of Linked.safeParse(body).data?.links ?? []) {
    const stated = MODE_LINKS.includes(rel) ? modeStatedBy(href) : null
    if (stated) expectMode(call, stated)
  }
}
