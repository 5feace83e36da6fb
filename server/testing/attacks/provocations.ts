/** Causes each error of the error table, on any endpoint that documents it. */
import type { ErrorCode } from '../../errors.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { parseRateLimits } from '../../limits/settings.ts'
import { issueToken, SCOPES } from '../../merchants/api-key.ts'
import { setProduct } from '../../merchants/product.ts'
import { openDb } from '../../storage/db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { createSession } from '../calls.ts'
import type { Kassa } from '../harness.ts'
import { createToken } from '../payments/subscriptions.ts'
import { payOn, type Scene } from '../scene/endpoint.ts'

let orders = 0

/** Changes a part of the context during one call. */
async function during<Part extends object>(part: Part, change: Partial<Part>, work: () => Promise<unknown>) {
  const before = Object.fromEntries(Object.keys(change).map((key) => [key, part[key as keyof Part]]))
  Object.assign(part, change)
  try {
    await work()
  } finally {
    Object.assign(part, before)
  }
}

/** Changes a valid request for an endpoint. */
const CHANGES: Record<string, object> = {
  '/v1/payment-sessions': { amountMinor: 2000 },
  '/v1/payment-links': { description: 'Another' },
  '/api/widget/checkout': { productId: 'cup' },
  '/v1/payments/:paymentId/refunds': { amountMinor: 400 },
  '/v1/payments/:paymentId/capture': { amountMinor: 900 },
  '/v1/payments/:paymentId/void': { reason: 'Another' },
  '/v1/payments/:paymentId/cancel': { reason: 'Another' },
  '/v1/payment-method-tokens': { customerConsentId: 'another' },
  '/v1/subscriptions': { amountMinor: 2000 },
}

const isCancel = ({ path }: Scene['endpoint']) => path === '/v1/payments/:paymentId/cancel'
const isWidget = ({ endpoint }: Scene) => endpoint.auth.kind === 'widget'
const routeField = ({ endpoint }: Scene) =>
  endpoint.path === '/v1/payment-sessions' ? 'provider' : 'providerRoute'

/** Returns the headers of a new caller, who is in no cache, so that the database is queried. */
async function stranger({ kassa, shop, endpoint }: Scene): Promise<Record<string, string>> {
  if (endpoint.auth.kind === 'widget') return { origin: `https://shop-${++orders}.example` }
  const { token } = await issueToken(kassa.ctx, { merchantId: shop.merchantId })
  return { authorization: `Bearer ${token}` }
}

/** Requests a route by name. The widget uses the route of its product. */
async function sendOnRoute(scene: Scene, provider: 'route_b' | 'route_e') {
  const { kassa, shop } = scene
  if (!isWidget(scene)) return scene.send({ body: { [routeField(scene)]: provider } })
  const product = {
    merchantId: shop.merchantId,
    id: provider,
    name: 'Odd',
    amountMinor: 100,
    currency: 'USD',
  } as const
  await setProduct(kassa.ctx, { ...product, provider })
  return scene.send({ body: { productId: provider } })
}

const isOfCards = ({ path }: Endpoint) => /^\/v1\/(payment-method-tokens|subscriptions)/.test(path)

/**
 * Requests it on a route whose setting gives this error. Saved cards are on route_a, which gets the setting for the time of the
 * call.
 */
async function sendOnBlockedRoute(
  { kassa, shop, endpoint, send }: Scene,
  name: 'route_c' | 'route_d',
  OPERATIONS: 'disabled' | 'not_configured',
) {
  if (!isOfCards(endpoint)) return send({ params: { paymentId: await payOn(kassa, shop, name) } })
  const { route_a: route } = kassa.ctx.routes
  return during(route, { settings: { ...route.settings, OPERATIONS } }, send)
}

/** Another request for the same operation is in progress and does not end. */
async function holdOperations({ ctx }: Kassa, send: Scene['send']): Promise<void> {
  const holder = await ctx.db.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table sandbox.operations, sandbox.cancellations in share mode')
    await send()
  } finally {
    await holder.query('rollback')
    holder.release()
  }
}

/** Whether a request to it has nothing but ids in its path. */
const isPathAlone = ({ params, query, body }: Scene['endpoint']) => params !== undefined && !query && !body
const TOO_LONG = { operationId: `opr_${'0'.repeat(120)}` }

export const PROVOCATIONS: Partial<Record<ErrorCode, (scene: Scene) => Promise<unknown>>> = {
  // The test's service trusts no proxy, so no call counts as https.
  https_required: ({ kassa, send }) => during(kassa.ctx, { world: 'live' }, send),
  missing_token: ({ send }) => send({ headers: { authorization: undefined } }),
  invalid_token: ({ send }) => send({ headers: { authorization: 'Bearer ksk_sandbox_nobody' } }),
  async insufficient_scope({ kassa, shop, endpoint, send }) {
    const scopes = SCOPES.filter((scope) => endpoint.auth.kind !== 'bearer' || scope !== endpoint.auth.scope)
    const { token } = await issueToken(kassa.ctx, { merchantId: shop.merchantId, scopes })
    await send({ headers: { authorization: `Bearer ${token}` } })
  },
  origin_missing: ({ send }) => send({ headers: { origin: undefined } }),
  origin_not_trusted: ({ send }) => send({ headers: { origin: 'https://evil.example' } }),
  widget_key_invalid: ({ send }) => send({ body: { publicKey: 'kpk_unknown' } }),
  payment_not_found: ({ send }) => send({ query: { paymentId: 'pay_0' }, params: { paymentId: 'pay_0' } }),
  operation_not_found: ({ send }) => send({ params: { operationId: 'opr_0' } }),
  token_not_found: ({ endpoint, send }) =>
    send(endpoint.params ? { params: { tokenId: 'pmt_0' } } : { body: { paymentTokenId: 'pmt_0' } }),
  subscription_not_found: ({ send }) => send({ params: { subscriptionId: 'sub_0' } }),
  operation_disabled: (scene) => sendOnBlockedRoute(scene, 'route_c', 'disabled'),
  operation_not_configured: (scene) => sendOnBlockedRoute(scene, 'route_d', 'not_configured'),
  async refund_limit_reached({ kassa, shop, send }) {
    const none = { refundLimits: {} }
    const { token } = await issueToken(kassa.ctx, { merchantId: shop.merchantId, ...none })
    await send({ headers: { authorization: `Bearer ${token}` } })
  },
  async payment_not_eligible({ kassa, shop, endpoint, send }) {
    if (isOfCards(endpoint)) {
      const { body } = await createToken(kassa.url, shop)
      await send({ body: { paymentTokenId: body.token.id } })
      return
    }
    if (isCancel(endpoint)) {
      await send({ params: { paymentId: await payOn(kassa, shop, 'route_a') } })
      return
    }
    const { body } = await createSession(kassa.url, shop, { key: `open-${++orders}` })
    await send({ params: { paymentId: body.id } })
  },
  async fiscalization_disabled({ kassa, shop, send }) {
    let paymentId = ''
    await during(kassa.ctx.routes.route_a, { fiscal: null }, async () => {
      paymentId = await payOn(kassa, shop, 'route_a')
    })
    await send({ params: { paymentId } })
  },
  async receipt_already_issued({ kassa, shop, send }) {
    const paymentId = await payOn(kassa, shop, 'route_a')
    await SWEEPS.fiscalReceipts(kassa.ctx)
    await send({ params: { paymentId } })
  },
  method_not_allowed: ({ send }) => send({ method: 'PUT' }),
  payload_too_large: ({ send }) => send({ body: `"${'x'.repeat(70_000)}"` }),
  unsupported_media_type: ({ send }) => send({ headers: { 'content-type': 'text/plain' } }),
  invalid_json: ({ send }) => send({ body: '{"a":' }),
  validation_failed: ({ endpoint, send }) =>
    send({
      body: { unknown: 1 },
      query: { unknown: '1' },
      ...(isPathAlone(endpoint) && { params: TOO_LONG }),
    }),
  raw_card_data_rejected: ({ endpoint, send }) => {
    const note = '4242 4242 4242 4242'
    if (isPathAlone(endpoint)) return send({ params: { operationId: note.replaceAll(' ', '') } })
    return send({ body: { metadata: { note } }, ...(endpoint.query && { query: { note } }) })
  },
  idempotency_key_required: ({ send }) => send({ headers: { 'idempotency-key': '' } }),
  async idempotency_key_reused(scene) {
    await scene.send()
    await scene.send({ body: CHANGES[scene.endpoint.path] ?? {} })
  },
  async request_in_progress({ kassa, shop, endpoint, send }) {
    const isOperation = endpoint.auth.kind === 'bearer' && endpoint.auth.scope !== 'payments.write'
    if (isOperation || isCancel(endpoint)) return holdOperations(kassa, send)
    await send()
    const later = new Date(kassa.clock.now().getTime() + 3_600_000)
    const opening = `with reached as (
      update sandbox.payments set status = 'pending_payment', version = version + 1 where merchant_id = $2
    ) update sandbox.attempts set state = 'opening', lease_until = $1 where merchant_id = $2`
    await kassa.ctx.db.query(opening, [later, shop.merchantId])
    await send()
  },
  amount_mismatch: ({ send }) => send({ body: { amountMinor: 1 } }),
  product_unknown: ({ send }) => send({ body: { productId: 'gold' } }),
  async amount_chosen_by_buyer({ kassa, shop: { merchantId }, send }) {
    const gift = { id: 'gift', name: 'Gift', amountMinor: 1_000, currency: 'USD', provider: null } as const
    const choice = { minMinor: 100, maxMinor: 100_000, stepMinor: 100, suggestedMinor: [] }
    await setProduct(kassa.ctx, { merchantId, ...gift, choice })
    await send({ body: { productId: 'gift' } })
  },
  return_url_not_allowed: ({ send }) => send({ body: { returnUrl: 'ftp://shop.example/' } }),
  provider_route_not_ready: (scene) => sendOnRoute(scene, 'route_e'),
  async provider_route_unsupported(scene) {
    const { route_b: route } = scene.kassa.ctx.routes
    if (!route.driver) throw new Error('Bug! route_b has a driver in sandbox mode.')
    await during(route, { driver: { ...route.driver, currencies: ['AMD'] } }, () =>
      sendOnRoute(scene, 'route_b'),
    )
  },
  async provider_unavailable({ kassa, shop, endpoint, send }) {
    const { accounts, routes } = kassa.ctx
    const { route_a: route } = routes
    if (endpoint.path === '/v1/subscriptions') {
      const paused = { ...(await accounts.read()), stopped: new Map([[shop.merchantId, 'paused' as const]]) }
      return during(accounts, { read: async () => paused }, send)
    }
    if (route.driver && isCancel(endpoint)) {
      const { body } = await createSession(kassa.url, shop, { key: `away-${++orders}` })
      const lookUp = () => Promise.reject(new Error('provoked'))
      const request = () => send({ params: { paymentId: body.id } })
      return during(route, { driver: { ...route.driver, lookUp } }, request)
    }
    if (!route.driver || !isOfCards(endpoint))
      return during(kassa.ctx.config, { defaultProvider: 'route_e' }, send)
    const saveToken = () => Promise.reject(new Error('provoked'))
    return during(route, { driver: { ...route.driver, saveToken } }, send)
  },
  rate_limited: ({ kassa: { ctx }, send }) => {
    const buckets = { ...ctx.buckets, take: () => ({ remaining: 0, waitMs: 1_000, fullInMs: 4_000 }) }
    return during(ctx.config, { rateLimits: parseRateLimits('') }, () => during(ctx, { buckets }, send))
  },
  async storage_unavailable(scene) {
    const headers = await stranger(scene)
    const db = openDb('postgres://nobody@127.0.0.1:9/none', { world: 'sandbox' })
    await during(scene.kassa.ctx, { db }, () => scene.send({ headers }))
    await db.end()
  },
  async internal(scene) {
    const headers = await stranger(scene)
    const broken = () => Promise.reject(new Error('provoked'))
    const db = { query: broken, connect: broken } as never
    await during(scene.kassa.ctx, { db, readinessBlockers: broken }, () => scene.send({ headers }))
  },
}
