/**
 * Several acts in an order in which money can get lost, which single acts seldom find. Here: processes that die, accounts, receipts and
 * renewals.
 */
import { call } from '../calls.ts'
import {
  createSubscription,
  createToken,
  subscriptionRequest,
  tokenRequest,
} from '../payments/subscriptions.ts'
import type { Act } from './acts.ts'
import {
  advance,
  type Choice,
  chosen,
  DAY,
  deskOf,
  dying,
  type History,
  HOUR,
  MINUTE,
  request,
  SECOND,
  spoil,
  sweepAll,
} from './history.ts'
import { ORDER_SCENES } from './order-scenes.ts'
import { breakOwnAccount, confirmByHand, resolveReceipts, retryReceipts, rotateWrongly } from './people.ts'
import { REFUND_SCENES } from './refund-scenes.ts'
import { later, pick } from './scene.ts'
import { ask, buy, comeBack, partOf, press, sell } from './trade.ts'

export const SCENES = {
  ...REFUND_SCENES,
  ...ORDER_SCENES,
  /** The worker dies at some statement. */
  async workerDies(history, { size }) {
    await dying(history, 'worker', size % 40, () => sweepAll(history))
    await later(history, 95 * SECOND)
  },
  async webDies(history, step) {
    const sale = chosen(history, step.at)
    await dying(history, 'web', step.size % 12, async () => {
      if (!sale || step.size % 3 === 0) await sell(history, step)
      else if (step.size % 3 === 1) await comeBack(history, sale)
      else await ask(history, sale, 'refunds', { amountMinor: partOf(sale, step.size >> 2) })
    })
    await later(history, 95 * SECOND)
  },
  async ownAccount(history, step) {
    if (step.size % 2 === 0) await breakOwnAccount(history, true)
    else await rotateWrongly(history)
    const sale = await sell(history, { at: 4, size: 3 + 14 * step.size }, 'route_a')
    if (sale && (await press(history, sale, 0))) await buy(history, sale, 'pay', 1)
    await breakOwnAccount(history, false)
    if (sale) await comeBack(history, sale)
  },
  async byHand(history, { size }) {
    await confirmByHand(history, size)
  },
  async receiptsAgain(history, { size }) {
    if (size % 2 === 0) await resolveReceipts(history)
    else await retryReceipts(history)
    await sweepAll(history)
  },
  async subscribe(history, step) {
    await subscribe(history, step)
  },
  /** A period begins, and something happens to its charge. */
  async renewal(history, step) {
    if (history.subscriptions.length === 0) await subscribe(history, step)
    advance(history, pick([DAY, 31 * DAY, 31 * DAY], step.size) + MINUTE)
    const isAway = (step.size >> 3) % 3 === 0
    for (const desk of Object.values(history.world.desks)) {
      const whats = ['lost', 'never', 'broken', 'crash', 'failed', 'failed_first', null] as const
      const what = pick(whats, step.size >> 2)
      if (what) spoil(desk, { on: 'write', what })
      await desk.door.setAway(isAway)
    }
    await dying(history, 'worker', null, () => sweepAll(history))
    if (isAway) for (let times = 0; times < 4; times++) await later(history, 30 * MINUTE)
    for (const { door } of Object.values(history.world.desks)) {
      await door.setAway(false)
      door.state.pranks = []
    }
    // Without the first of these, nobody looks before the provider has forgotten the key.
    if (step.size % 5 > 1) await later(history, 61 * SECOND)
    await later(history, pick([61 * SECOND, 2 * MINUTE, 25 * HOUR, 25 * HOUR], step.size >> 5))
  },
} satisfies Record<string, Act>

async function subscribe(history: History, { at, size }: Choice): Promise<void> {
  const { kassa, sellers, look } = history.world
  const [{ shop }] = sellers
  const route = pick(['route_a', 'route_b', 'route_e'] as const, size)
  const { body } = await createToken(kassa.url, shop, {
    key: `token-${++history.keys}`,
    body: tokenRequest({ providerRoute: route }),
  })
  const setupUrl = body.setupUrl ?? ''
  if (!setupUrl) return
  history.tokens.push({ id: body.token.id, route, seller: sellers[0], setupUrl })
  const will = pick(['save', 'save', 'save', 'save_then_decline', 'save_then_hard'] as const, size >> 2)
  await deskOf(history, route).setUpPage(setupUrl, will)
  const back = await fetch(`${kassa.url}/payment-method-tokens/${body.token.id}/return`, {
    redirect: 'manual',
  })
  await back.text()
  const terms = {
    providerRoute: route,
    merchantSubscriptionId: `box-${history.keys}`,
    amountMinor: 700 + (size % 500),
    interval: pick(['day', 'week', 'month'] as const, at + (size >> 5)),
  }
  const created = await request(
    history,
    'a subscription',
    createSubscription(kassa.url, shop, {
      key: `sub-${++history.keys}`,
      body: subscriptionRequest(body.token.id, terms),
    }),
  )
  const id = created?.body.subscription?.id
  history.lines.push(
    `  a subscription ${id} on ${route}, ${terms.interval}, card: ${will}: ${created?.status}`,
  )
  if (id) history.subscriptions.push({ id, seller: sellers[0] })
  await look.query('select 1')
  await sweepAll(history)
}

/** The merchant ends a subscription. */
export async function cancelAny(history: History, { at }: Choice): Promise<void> {
  const { kassa } = history.world
  const one = history.subscriptions[at % history.subscriptions.length]
  if (!one) return
  await call(`${kassa.url}/v1/subscriptions/${one.id}/cancel`, {
    headers: {
      authorization: `Bearer ${one.seller.shop.token}`,
      'idempotency-key': `cancel-${++history.keys}`,
    },
  })
}
