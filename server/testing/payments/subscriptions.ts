/** Requests of a merchant's back end and a buyer about saved cards and subscriptions, for tests. */
import type { CardOutcome } from '../../sandbox/bank/cards.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { call } from '../calls.ts'
import { type Kassa, SHOP_ORIGIN, type Shop } from '../harness.ts'
import { send } from '../light-http.ts'

let keys = 0
const headersOf = (shop: Shop, key: string) => ({
  authorization: `Bearer ${shop.token}`,
  'idempotency-key': key,
})
const freshKey = () => `key-${++keys}`

export function tokenRequest(changes: object = {}) {
  return {
    providerRoute: 'route_a',
    customerConsentId: 'consent-7',
    returnUrl: `${SHOP_ORIGIN}/cards`,
    ...changes,
  }
}

export function createToken(
  url: string,
  shop: Shop,
  { key = freshKey(), body = tokenRequest() }: { key?: string; body?: unknown } = {},
) {
  return call(`${url}/v1/payment-method-tokens`, { headers: headersOf(shop, key), body })
}

export function revokeToken(url: string, shop: Shop, tokenId: string, key = freshKey()) {
  return call(`${url}/v1/payment-method-tokens/${tokenId}`, {
    method: 'DELETE',
    headers: headersOf(shop, key),
  })
}

/** Makes the buyer's choice on the bank's page. Returns the address of the bank's redirect. */
export async function chooseCard(setupUrl: string, outcome: string): Promise<string> {
  const chosen = await send(setupUrl, { method: 'POST', body: new URLSearchParams({ outcome }) })
  return chosen.headers.get('location') ?? ''
}

/** Makes the buyer's choice and follows the redirects. Returns the last address. */
export async function saveCard(setupUrl: string, outcome: CardOutcome): Promise<string | null> {
  const back = await send(await chooseCard(setupUrl, outcome))
  return back.headers.get('location')
}

/** Creates a token for a saved card. Returns its id. */
export async function openToken(
  url: string,
  shop: Shop,
  outcome: CardOutcome = 'saved',
  changes: object = {},
): Promise<string> {
  const { body } = await createToken(url, shop, { body: tokenRequest(changes) })
  await saveCard(body.setupUrl, outcome)
  return body.token.id
}

export function subscriptionRequest(paymentTokenId: string, changes: object = {}) {
  return {
    providerRoute: 'route_a',
    merchantSubscriptionId: 'box-1',
    paymentTokenId,
    amountMinor: 1900,
    currency: 'USD',
    interval: 'month',
    description: 'A box of tea',
    ...changes,
  }
}

export function createSubscription(
  url: string,
  shop: Shop,
  { key = freshKey(), body }: { key?: string; body: unknown },
) {
  return call(`${url}/v1/subscriptions`, { headers: headersOf(shop, key), body })
}

export function cancelSubscription(url: string, shop: Shop, subscriptionId: string, key = freshKey()) {
  return call(`${url}/v1/subscriptions/${subscriptionId}/cancel`, { headers: headersOf(shop, key) })
}

/** Returns the statuses of a subscription's charges, in the order of the attempts. */
export async function chargesOf({ ctx }: Kassa, subscriptionId: string): Promise<string[]> {
  const { rows } = await ctx.db.query<{ status: string }>(
    `select p.status from sandbox.subscription_charges c join sandbox.payments p on p.id = c.payment_id
     where c.subscription_id = $1 order by c.period, c.attempt`,
    [subscriptionId],
  )
  return rows.map(({ status }) => status)
}

/** Runs every job of subscriptions once. */
export async function sweep({ ctx }: Kassa): Promise<void> {
  await SWEEPS.renewals(ctx)
  await SWEEPS.cardRevocations(ctx)
  await SWEEPS.cardSavings(ctx)
}
