/**
 * The simulated PayPal: OAuth, Orders v2, Payments v2, Vault v3, disputes, webhooks and the buyer's pages, with books of its own
 * for each account. It follows the official documents. The guide on PayPal lists what the documents leave open.
 */
import { runDue } from '../simulator.ts'
import { createWorld, type SimAccount, type World } from './books.ts'
import { CERT_PATH, certificate, showWebhook, verifyTransmission } from './events.ts'
import { createOrder, finalize, showOrder } from './orders.ts'
import { answerPage } from './page.ts'
import {
  captureAuthorization,
  refundCapture,
  showAuthorization,
  showCapture,
  showRefund,
  voidAuthorization,
} from './payments.ts'
import { presentDispute, presentDisputeDetails } from './present.ts'
import {
  type AccountRequest,
  json,
  keepRefusal,
  type Reply,
  refuse,
  repeatRefusal,
  type SimRequest,
  write,
} from './reply.ts'
import { createSetup, createToken, deleteToken, listTokens, showSetup, showToken } from './vault.ts'

const TOKEN_SECONDS = 32_400
const TOKEN_LASTS_MS = TOKEN_SECONDS * 1_000

/** The scopes as public samples of tokens have them. */
const SCOPES = {
  payment: 'https://uri.paypal.com/services/payments/realtimepayment',
  authcapture: 'https://uri.paypal.com/services/payments/payment/authcapture',
  refund: 'https://uri.paypal.com/services/payments/refund',
  webhooks: 'https://uri.paypal.com/services/applications/webhooks',
  vault: 'https://uri.paypal.com/services/vault/payment-tokens/readwrite',
}

type Handler = (accountRequest: AccountRequest, id: string) => Reply
const ID = '([A-Za-z0-9_-]+)'

/** Every call, by its method and path. */
const CALLS: [method: string, path: string, handler: Handler][] = [
  ['POST', '/v2/checkout/orders', createOrder],
  ['GET', `/v2/checkout/orders/${ID}`, showOrder],
  [
    'POST',
    `/v2/checkout/orders/${ID}/capture`,
    (accountRequest, id) => finalize(accountRequest, id, 'capture'),
  ],
  [
    'POST',
    `/v2/checkout/orders/${ID}/authorize`,
    (accountRequest, id) => finalize(accountRequest, id, 'authorize'),
  ],
  ['GET', `/v2/payments/authorizations/${ID}`, showAuthorization],
  ['POST', `/v2/payments/authorizations/${ID}/capture`, captureAuthorization],
  ['POST', `/v2/payments/authorizations/${ID}/void`, voidAuthorization],
  ['GET', `/v2/payments/captures/${ID}`, showCapture],
  ['POST', `/v2/payments/captures/${ID}/refund`, refundCapture],
  ['GET', `/v2/payments/refunds/${ID}`, showRefund],
  ['POST', '/v3/vault/setup-tokens', createSetup],
  ['GET', `/v3/vault/setup-tokens/${ID}`, showSetup],
  ['POST', '/v3/vault/payment-tokens', createToken],
  ['GET', '/v3/vault/payment-tokens', listTokens],
  ['GET', `/v3/vault/payment-tokens/${ID}`, showToken],
  ['DELETE', `/v3/vault/payment-tokens/${ID}`, deleteToken],
  ['GET', '/v1/customer/disputes', listDisputes],
  ['GET', `/v1/customer/disputes/${ID}`, showDispute],
  ['GET', `/v1/notifications/webhooks/${ID}`, showWebhook],
  ['POST', '/v1/notifications/verify-webhook-signature', verifyTransmission],
]
const PATTERNS = CALLS.map(([method, path, handler]) => ({ method, path: new RegExp(`^${path}$`), handler }))

export type SimulatedPaypal = ReturnType<typeof createPaypal>

export function createPaypal(parts: Parameters<typeof createWorld>[0]) {
  const world = createWorld(parts)
  const work = () => runDue(world.agenda, world.now)
  return {
    world,
    answer(request: SimRequest): Reply {
      work()
      const reply = answer(world, request)
      const isJson = reply.headers?.['content-type'] === 'application/json'
      return isJson ? { ...reply, text: write(world, JSON.parse(reply.text)) } : reply
    },
    work,
    /** Opens an account, as its owner does in the Developer Dashboard. */
    openAccount(clientId: string, secret: string): SimAccount {
      const account: SimAccount = {
        clientId,
        secret,
        accessTokens: new Map(),
        webhooks: new Map(),
        orders: new Map(),
        setups: new Map(),
        tokens: new Map(),
        disputes: [],
        events: [],
        replays: new Map(),
        repeatedRefusals: new Map(),
        mayReadDisputes: true,
        mayRefund: true,
        maySave: true,
        refusals: [],
      }
      world.accounts.set(clientId, account)
      return account
    },
  }
}

function answer(world: World, request: SimRequest): Reply {
  const { pathname } = new URL(request.url, 'http://paypal.simulated')
  if (pathname === '/checkoutnow' || pathname === '/agreements/approve') return answerPage(world, request)
  if (pathname === CERT_PATH) return { status: 200, text: certificate() }
  if (pathname === '/v1/oauth2/token') return issueToken(world, request)
  const account = accountOf(world, request.headers.authorization ?? '')
  if (!account) return refuse(401, 'INVALID_ACCOUNT_STATUS')
  const repeated = repeatRefusal(world, account, request)
  if (repeated) return repeated
  const reply = answerCall(world, account, request)
  keepRefusal(world, account, request, reply)
  return reply
}

function answerCall(world: World, account: SimAccount, request: SimRequest): Reply {
  const { pathname, searchParams } = new URL(request.url, 'http://paypal.simulated')
  const call = PATTERNS.find(({ method, path }) => method === request.method && path.test(pathname))
  if (!call) return refuse(404, 'INVALID_RESOURCE_ID')
  if (pathname.startsWith('/v3/vault/') && !account.maySave) return refuse(403, 'PERMISSION_DENIED')
  if (pathname.endsWith('/refund') && !account.mayRefund) return refuse(403, 'PERMISSION_DENIED')
  const refused = refusalOf(account, `${request.method} ${pathname}`)
  if (refused) return refused
  const parsed = parse(request.body)
  if (parsed === null) return refuse(400, 'MALFORMED_REQUEST_JSON')
  const { headers, body: text } = request
  const accountRequest = { world, account, query: searchParams, headers, json: parsed, text }
  return call.handler(accountRequest, call.path.exec(pathname)?.[1] ?? '')
}

function refusalOf({ refusals }: SimAccount, request: string): Reply | null {
  const refused = refusals.find((each) => each.request.test(request) && each.times !== 0)
  if (!refused) return null
  if (refused.times !== undefined) refused.times--
  const reply = refuse(refused.status, refused.issue)
  const { retryAfterSeconds } = refused
  if (retryAfterSeconds === undefined) return reply
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(retryAfterSeconds) } }
}

function issueToken(world: World, { headers, body }: SimRequest): Reply {
  const given = Buffer.from(headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const [clientId = '', secret = ''] = given.split(':')
  const account = world.accounts.get(clientId)
  if (account?.secret !== secret || body !== 'grant_type=client_credentials')
    return json(401, { error: 'invalid_client', error_description: 'Client Authentication failed' })
  const access_token = `A21AA-simulated-${world.newId('')}`
  account.accessTokens.set(access_token, new Date(world.now().getTime() + TOKEN_LASTS_MS))
  return json(200, {
    scope: scopesOf(account),
    access_token,
    token_type: 'Bearer',
    app_id: 'APP-SIM',
    expires_in: TOKEN_SECONDS,
  })
}

function scopesOf({ mayRefund, maySave }: SimAccount): string {
  const { payment, authcapture, refund, webhooks, vault } = SCOPES
  return [payment, authcapture, webhooks, ...(mayRefund ? [refund] : []), ...(maySave ? [vault] : [])].join(
    ' ',
  )
}

function accountOf(world: World, authorization: string): SimAccount | null {
  const token = authorization.replace(/^Bearer /, '')
  for (const account of world.accounts.values()) {
    const until = account.accessTokens.get(token)
    if (until && until > world.now()) return account
  }
  return null
}

/** Returns undefined for an empty body, and null for a body that is not an object. */
function parse(body: string): Record<string, unknown> | undefined | null {
  if (body === '') return undefined
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function listDisputes({ world, account, query }: AccountRequest): Reply {
  if (!account.mayReadDisputes) return refuse(403, 'PERMISSION_DENIED')
  const capture = query.get('disputed_transaction_id')
  const items = account.disputes
    .filter(({ captureId }) => capture === null || captureId === capture)
    .map((each) => presentDispute(world, each))
  const links = [{ href: `${world.origin()}/v1/customer/disputes`, rel: 'self', method: 'GET' }]
  return json(200, { ...(items.length > 0 && { items }), links })
}

function showDispute({ world, account }: AccountRequest, id: string): Reply {
  const dispute = account.disputes.find((each) => each.id === id)
  return dispute ? json(200, presentDisputeDetails(world, dispute)) : refuse(404, 'INVALID_RESOURCE_ID')
}
