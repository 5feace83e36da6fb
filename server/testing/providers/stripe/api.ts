/** Stripe's API: who may call it, what each endpoint does, and the replies that are kept under a key. */
import type Stripe from 'stripe'
import { type Account, type Books, catchUp } from './books.ts'
import { cardOf } from './cards.ts'
import { createSession, expireSession, type SessionParams } from './checkout.ts'
import { ENDPOINTS, type Endpoint, type Params, readForm } from './form.ts'
import { detach } from './methods.ts'
import { newIntent } from './objects.ts'
import { cancelIntent, captureIntent, decline, refundIntent, succeed } from './payments.ts'
import { impossible, invalid, isRefused, missing, refuse } from './refusal.ts'
import { destinationsOf, endpointsOf, expand, pageOf } from './show.ts'
import { work } from './work.ts'

export type ApiRequest = {
  method: string
  /** The path below `/v1/`, or from `v2` on, without the query. */
  path: string
  query: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
export type ApiReply = { status: number; headers: Record<string, string>; body: string }

const KEY_LIFETIME_MS = 24 * 3_600_000

type Context = { books: Books; account: Account; id: string; params: Params }
type Act = (context: Context) => object

const ACTS: Record<Endpoint, Act> = {
  'GET account': ({ account }) => ({
    id: account.id,
    object: 'account',
    charges_enabled: account.isActivated,
    country: 'US',
    default_currency: 'usd',
    type: 'standard',
  }),
  'GET webhook_endpoints': ({ account }) => endpointsOf(account),
  'GET v2/core/event_destinations': ({ account, params }) =>
    destinationsOf(account, params.include !== undefined),
  'POST checkout/sessions': ({ books, account, params }) =>
    createSession(books, account, params as SessionParams),
  'GET checkout/sessions': ({ account, params }) => pageOf('checkout/sessions', account.sessions, params),
  'GET checkout/sessions/:id': ({ account, id }) => get(account.sessions, id, 'checkout.session'),
  'POST checkout/sessions/:id/expire': ({ books, account, id }) => {
    const session = get(account.sessions, id, 'checkout.session')
    expireSession(books, account, session)
    return session
  },
  'POST payment_intents': chargeMethod,
  'GET payment_intents': ({ account, params }) => pageOf('payment_intents', account.intents, params),
  'GET payment_intents/:id': ({ account, id }) => get(account.intents, id, 'payment_intent'),
  'POST payment_intents/:id/capture': ({ books, account, id, params }) => {
    const intent = get(account.intents, id, 'payment_intent')
    captureIntent(books, account, intent, Number(params.amount_to_capture ?? intent.amount_capturable))
    return intent
  },
  'POST payment_intents/:id/cancel': ({ books, account, id }) => {
    const intent = get(account.intents, id, 'payment_intent')
    cancelIntent(books, account, intent, null)
    return intent
  },
  'POST refunds': ({ books, account, params }) => {
    expectParams(params, ['payment_intent'])
    const intent = get(account.intents, String(params.payment_intent), 'payment_intent')
    const amount = params.amount === undefined ? undefined : Number(params.amount)
    const metadata = (params.metadata ?? {}) as Record<string, string>
    return refundIntent(books, account, intent, { amount, metadata })
  },
  'GET refunds': ({ account, params }) => pageOf('refunds', account.refunds, params),
  'GET disputes': ({ account, params }) => pageOf('disputes', account.disputes, params),
  'GET charges/:id': ({ account, id }) => get(account.charges, id, 'charge'),
  'GET refunds/:id': ({ account, id }) => get(account.refunds, id, 'refund'),
  'GET disputes/:id': ({ account, id }) => get(account.disputes, id, 'dispute'),
  'GET mandates/:id': ({ account, id }) => get(account.mandates, id, 'mandate'),
  'GET payment_methods/:id': ({ account, id }) => get(account.methods, id, 'PaymentMethod'),
  'POST payment_methods/:id/detach': ({ books, account, id }) => {
    const method = get(account.methods, id, 'PaymentMethod')
    if (method.customer === null)
      throw impossible(
        '',
        'The payment method you provided is not attached to a customer so detachment is impossible.',
      )
    detach(books, account, method)
    return method
  },
}

function expectParams(params: Params, names: readonly string[]): void {
  const absent = names.find((name) => params[name] === undefined)
  if (absent) throw invalid('parameter_missing', absent, `Missing required param: ${absent}.`)
}

function get<Kind>(objects: Map<string, Kind>, id: string, what: string): Kind {
  const found = objects.get(id)
  if (!found) throw missing(what, id)
  return found
}

/** Charges a saved card: creates and confirms an intent at once, without the buyer. */
function chargeMethod({ books, account, params }: Context): Stripe.PaymentIntent {
  const {
    amount,
    currency,
    customer,
    payment_method: id,
    metadata = {},
    description = null,
    confirm,
    off_session: isOff,
  } = params
  expectParams(params, ['amount', 'currency'])
  if (confirm !== true || isOff !== true)
    throw invalid('', 'confirm', 'The simulator confirms at once, off session')
  const method = get(account.methods, String(id), 'PaymentMethod')
  if (method.customer === null || method.customer !== customer)
    throw impossible('resource_missing', 'The customer does not have a payment method with this ID.')
  const order = {
    amount: Number(amount),
    currency: String(currency),
    metadata: metadata as Record<string, string>,
  }
  const intent = newIntent(books, order, { customer: String(customer), payment_method: method.id })
  if (description !== null) intent.description = String(description)
  account.intents.set(intent.id, intent)
  const cardName = account.cards.get(method.id) ?? 'visa'
  const card = cardOf(cardName)
  const outcome = card.later ?? (card.onPage === 'authenticates' ? 'succeeds' : card.onPage)
  if (typeof outcome === 'object') {
    const {
      type: _type,
      payment_intent: _intent,
      ...error
    } = decline(books, account, intent, cardName, outcome)
    throw refuse(
      402,
      {
        type: 'card_error',
        message: 'Your card was declined.',
        code: outcome.code,
        ...(error.charge && { charge: error.charge }),
        ...(outcome.declineCode !== null && { decline_code: outcome.declineCode }),
        payment_intent: intent,
      },
      true,
    )
  }
  if (card.work) work(books, account, intent, cardName, card.work)
  else succeed(books, account, intent, card)
  return intent
}

/** Replies to a request below `/v1/`. */
export function answer(books: Books, request: ApiRequest): ApiReply {
  const requestId = books.nextId('req')
  const headers = { 'content-type': 'application/json', 'request-id': requestId }
  try {
    const account = accountOf(books, request)
    catchUp(books, account)
    expectAccepted(account, endpointOf(request.method, request.path)[0])
    const key = request.headers['idempotency-key']
    if (request.method !== 'POST' || key === undefined)
      return { status: 200, headers, body: act(books, account, request) }
    const kept = actOnce(books, account, request, String(key))
    return { ...kept, headers: { ...headers, ...(kept.isReplay && { 'idempotent-replayed': 'true' }) } }
  } catch (error) {
    if (!isRefused(error)) throw error
    return {
      status: error.status,
      headers: { ...headers, ...error.headers },
      body: JSON.stringify({ error: error.body }, null, 2),
    }
  }
}

/** @throws Refused for a request that the account is refused now, whatever its key */
function expectAccepted({ refusals }: Pick<Account, 'refusals'>, endpoint: string): void {
  const refused = refusals.find((each) => each.endpoint.test(endpoint) && each.times !== 0)
  if (!refused) return
  if (refused.times !== undefined) refused.times--
  const { status, code, retryAfterSeconds } = refused
  const body = { type: 'invalid_request_error', code, message: 'The simulator refuses this.' } as const
  throw refuse(
    status,
    body,
    false,
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  )
}

function accountOf(books: Books, { headers }: ApiRequest): Account {
  const [, key = ''] = /^Bearer (.+)$/.exec(String(headers.authorization ?? '')) ?? []
  for (const account of books.accounts.values()) {
    if (account.keys.has(key)) return account
    if (account.expiredKeys.has(key))
      throw refuse(401, {
        type: 'invalid_request_error',
        code: 'api_key_expired',
        message: 'Expired API key provided',
      })
  }
  throw refuse(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' })
}

function actOnce(books: Books, account: Account, request: ApiRequest, key: string) {
  const now = books.now()
  const known = account.replies.get(key)
  const isKnown = known !== undefined && now.getTime() - known.at.getTime() < KEY_LIFETIME_MS
  const text = `${request.path}\n${request.body}`
  if (isKnown && known.request !== text)
    throw refuse(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    })
  if (isKnown) return { status: known.status, body: known.body, isReplay: true }
  const save = (status: number, body: string) => {
    account.replies.set(key, { at: now, request: text, status, body })
    return { status, body, isReplay: false }
  }
  try {
    return save(200, act(books, account, request))
  } catch (error) {
    if (!isRefused(error) || !error.isSaved) throw error
    return save(error.status, JSON.stringify({ error: error.body }, null, 2))
  }
}

function act(books: Books, account: Account, { method, path, query, body }: ApiRequest): string {
  const [endpoint, id] = endpointOf(method, path)
  if (account.forbidden.has(endpoint))
    throw refuse(403, {
      type: 'invalid_request_error',
      code: 'more_permissions_required',
      message: `The provided key does not have the required permissions for this endpoint.`,
    })
  const params = readForm(method === 'POST' ? body : query, ENDPOINTS[endpoint])
  const object = ACTS[endpoint]({ books, account, id, params })
  const paths = Array.isArray(params.expand) ? params.expand.map(String) : []
  return JSON.stringify(expand(account, object, paths), null, 2)
}

function endpointOf(method: string, path: string): [Endpoint, string] {
  for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
    const [verb = '', pattern = ''] = endpoint.split(' ')
    const match = new RegExp(`^${pattern.replace(':id', '([A-Za-z0-9_]+)')}$`).exec(path)
    if (verb === method && match) return [endpoint, match[1] ?? '']
  }
  throw refuse(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: /v1/${path})`,
  })
}
